/**
 * A floating-point number as Go prints it by `%v`, in the fewest digits that give it back: `1.5`, but `1e+06` from a
 * million on and `1e-05` below a ten thousandth. With 32 `bits`, the fewest that give back the nearest 32-bit float.
 */
export function goFloat(value: number, bits: 32 | 64 = 64): string {
  const number = bits === 32 ? Math.fround(value) : value;
  if (Number.isNaN(number)) return "NaN";
  if (!Number.isFinite(number)) return number > 0 ? "+Inf" : "-Inf";
  if (Object.is(number, -0)) return "-0";
  const shortest = bits === 32 ? shortestFloat32(number) : number.toExponential();
  const [mantissa = "", power = ""] = shortest.split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return Number(shortest).toString();
  return `${mantissa}e${exponent < 0 ? "-" : "+"}${Math.abs(exponent).toString().padStart(2, "0")}`;
}

function shortestFloat32(value: number): string {
  for (let digits = 0; digits < 8; digits += 1) {
    const text = value.toExponential(digits);
    if (Math.fround(Number(text)) === value) return text;
  }
  return value.toExponential(8); // nine digits tell any two 32-bit floats apart
}
