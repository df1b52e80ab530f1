import { byCodeUnit } from "@slipway/objects";

const stability: Readonly<Record<string, number>> = { alpha: 1, beta: 2, "": 3 };

/**
 * Orders API versions as Kubernetes prefers them: stable before beta before alpha, then the larger number first; what is
 * no version of that form comes last, in alphabetical order. `v10, v2, v1, v11beta2, v10beta3, v3beta1, v12alpha1, foo1`.
 */
export function compareVersions(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  for (const [index, part] of left.entries()) {
    const difference = (right[index] ?? 0) - part;
    if (difference !== 0) return difference;
  }
  return byCodeUnit(a, b);
}

function parseVersion(version: string): readonly [stability: number, major: number, minor: number] {
  const [, major, level = "", minor = "0"] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? [];
  return major === undefined ? [0, 0, 0] : [stability[level] ?? 0, Number(major), Number(minor)];
}
