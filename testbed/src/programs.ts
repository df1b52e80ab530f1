import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { TestbedError } from "./errors.ts";

export type ProgramName =
  | "client-go"
  | "etcd"
  | "helm"
  | "helm-controller"
  | "kube-apiserver"
  | "kube-controller-manager"
  | "kubectl"
  | "source-controller"
  | "ssa-order";

/** How one program is built. */
interface Recipe {
  /** Below `programs/`: holds go.mod and go.sum, which fix every version. */
  readonly folder: string;
  /** What go.mod requires; its version is the program's. */
  readonly module: string;
  /** The main package. */
  readonly package: string;
  /** What of the folder is compiled: another text is another program. @default none, all of it is in modules */
  readonly sources?: readonly string[];
  /** Variables of the linker (`-X`) that make the program say its version. @default none */
  readonly stamps?: (version: string) => Readonly<Record<string, string>>;
}

const recipes: Readonly<Record<ProgramName, Recipe>> = {
  etcd: { folder: "etcd", module: "go.etcd.io/etcd/server/v3", package: "go.etcd.io/etcd/server/v3" },
  kubectl: kubernetes("kubectl"),
  "kube-apiserver": kubernetes("kube-apiserver"),
  "kube-controller-manager": kubernetes("kube-controller-manager"),
  helm: {
    folder: "helm",
    module: "helm.sh/helm/v3",
    package: "helm.sh/helm/v3/cmd/helm",
    stamps: (version) => ({ "helm.sh/helm/v3/internal/version.version": version }),
  },
  "source-controller": flux("source-controller"),
  "helm-controller": flux("helm-controller"),
  "ssa-order": {
    folder: "ssa-order",
    module: "github.com/fluxcd/pkg/ssa",
    package: "slipway.dev/testbed/ssa-order",
    sources: ["main.go"],
  },
  "client-go": {
    folder: "client-go",
    module: "k8s.io/client-go",
    package: "slipway.dev/testbed/client-go",
    sources: ["elect.go", "finalize.go", "informer.go", "main.go"],
  },
};

/** In the order in which they are built. */
export const programNames: readonly ProgramName[] = Object.keys(recipes) as ProgramName[];

function kubernetes(command: string): Recipe {
  return {
    folder: "kubernetes",
    module: "k8s.io/kubernetes",
    package: `k8s.io/kubernetes/cmd/${command}`,
    stamps: (version) => {
      const [major = "", minor = ""] = version.slice(1).split(".");
      const stamp = "k8s.io/component-base/version";
      return { [`${stamp}.gitVersion`]: version, [`${stamp}.gitMajor`]: major, [`${stamp}.gitMinor`]: minor };
    },
  };
}

function flux(controller: string): Recipe {
  return { folder: controller, module: `github.com/fluxcd/${controller}`, package: `github.com/fluxcd/${controller}` };
}

/** One program as its go.mod has it at this moment. */
export interface Program {
  readonly name: ProgramName;
  /** With its `v`. */
  readonly version: string;
  /** Absolute: where `go build` runs. */
  readonly folder: string;
  readonly package: string;
  readonly buildFlags: readonly string[];
  /** Folder below the cache: another version, recipe or platform is another folder. */
  readonly cacheName: string;
}

/** Below `testbed/`, from sources and from a build. */
const programsFolder = join(import.meta.dirname, "..", "programs");

/** @param platform As in `linux-x64`. */
export async function readProgram(name: ProgramName, platform: string): Promise<Program> {
  const recipe = recipes[name];
  const folder = join(programsFolder, recipe.folder);
  const read = (file: string): Promise<Buffer> => readFile(join(folder, file));
  const [goMod, goSum, ...sources] = await Promise.all([
    read("go.mod"),
    read("go.sum"),
    ...(recipe.sources ?? []).map(read),
  ]);
  const version = findVersion(goMod.toString("utf8"), recipe.module);
  if (version === undefined)
    throw new TestbedError(`${join(folder, "go.mod")}: ${recipe.module} is not required there.`);
  const buildFlags = flagsOf(recipe, version);
  const hash = createHash("sha256");
  for (const part of [goMod, goSum, recipe.package, ...buildFlags, ...sources]) hash.update(part).update("\0");
  return {
    name,
    version,
    folder,
    package: recipe.package,
    buildFlags,
    cacheName: `${platform}-${name}-${version}-${hash.digest("hex").slice(0, 12)}`,
  };
}

function flagsOf({ stamps }: Recipe, version: string): string[] {
  const variables = Object.entries(stamps?.(version) ?? {}).map(([name, value]) => `-X ${name}=${value}`);
  return ["-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags", ["-s", "-w", ...variables].join(" ")];
}

/** The version that a go.mod requires of a module, or `undefined`. */
export function findVersion(goMod: string, module: string): string | undefined {
  for (const line of goMod.split("\n")) {
    const [first, second, third] = line.trim().split(/\s+/);
    if (first === module && second !== "=>") return second;
    if (first === "require" && second === module) return third;
  }
  return undefined;
}
