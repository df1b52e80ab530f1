/** A number as Go's `%v` prints a float: like JavaScript, but `1e+06` from a million on and `1e-05` below `0.0001`. */
export function formatGoFloat(value: number): string {
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (!Number.isFinite(value) || (exponent >= -4 && exponent < 6)) return String(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}
