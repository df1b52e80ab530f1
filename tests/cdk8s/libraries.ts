import * as core from "@slipway/core";
import * as cdk8s from "cdk8s";

/** What a program is written against: the public names of cdk8s. */
export type Library = typeof cdk8s;

export const peer: Library = cdk8s;

/** Classes with private members are types of their own, so no assignment shows that these names mean the same. */
export const ours: Library = core as unknown as Library;

export const libraries: readonly (readonly [name: string, library: Library])[] = [
  ["cdk8s", peer],
  ["slipway", ours],
];
