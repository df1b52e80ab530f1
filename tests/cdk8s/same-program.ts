import { describe, expect, test } from "vitest";
import { type Library, ours, peer } from "./libraries.ts";

export type Program = (lib: Library) => unknown;

/** A rule of cdk8s that we keep: the program gives the same with both libraries. */
export interface Rule {
  readonly rule: string;
  readonly program: Program;
  /** What comes out, or `thrown(text)`. Stated, so that a program which fails by mistake is no agreement. */
  readonly gives: unknown;
}

/** A rule that we changed on purpose. The test fails when either library changes its answer. */
export interface Difference {
  readonly rule: string;
  readonly because: string;
  readonly program: Program;
  readonly cdk8s: unknown;
  readonly slipway: unknown;
}

/** The outcome of a program that throws an error with this text, or with a text that `asymmetric` matches. */
export function thrown(text: unknown): unknown {
  return { thrown: text };
}

function outcome(program: Program, lib: Library): unknown {
  try {
    return program(lib);
  } catch (error) {
    return thrown(error instanceof Error ? error.message : error);
  }
}

export function sameOnBoth(rules: readonly Rule[]): void {
  test.for(rules)("$rule", ({ program, gives }) => {
    expect(outcome(program, peer), "cdk8s").toStrictEqual(gives);
    expect(outcome(program, ours), "slipway").toStrictEqual(gives);
  });
}

export function differentOnPurpose(differences: readonly Difference[]): void {
  describe("different on purpose:", () => {
    test.for(differences)("$rule", ({ program, because, cdk8s, slipway }) => {
      expect(outcome(program, peer), "cdk8s").toStrictEqual(cdk8s);
      expect(outcome(program, ours), because).toStrictEqual(slipway);
      expect(slipway).not.toStrictEqual(cdk8s);
    });
  });
}
