import type { ApiObject, App, Chart, IResolver, JsonPatch } from "cdk8s";
import { Construct } from "constructs";
import { withEnvironment } from "./environment.ts";
import type { Library } from "./libraries.ts";
import { inTemporaryFolder, readFiles, uncheckedApp } from "./output-files.ts";
import type {
  ChartPart,
  Members,
  MetadataCall,
  ObjectPart,
  Part,
  Patch,
  Program,
  Resolver,
  Run,
  Value,
} from "./program.ts";

/** What a program gives: one entry for making the tree, one for each run. */
export interface Outcome {
  readonly results: readonly Result[];
  /** What happened on the way to results that are all there; a failure may come sooner or later. */
  readonly effects?: {
    /** Keys that a resolver was asked about, in order. */
    readonly asked: readonly string[];
    /** How often a Lazy was computed. */
    readonly produced: number;
  };
}

export type Result = { readonly gives: unknown } | { readonly throws: string };

export function runProgram(program: Program, lib: Library): Outcome {
  return inTemporaryFolder((outdir) =>
    withEnvironment({ ...program.environment, CDK8S_OUTDIR: outdir }, () => {
      const interpreter = new Interpreter(lib, outdir);
      return interpreter.run(program);
    }),
  );
}

class Interpreter {
  readonly #lib: Library;
  readonly #outdir: string;
  readonly #constructs: Construct[] = [];
  readonly #asked: string[] = [];
  #produced = 0;

  constructor(lib: Library, outdir: string) {
    this.#lib = lib;
    this.#outdir = outdir;
  }

  run(program: Program): Outcome {
    const { resolvers, ...options } = program.app;
    const app = uncheckedApp(this.#lib, { ...options, resolvers: resolvers.map((each) => this.#resolver(each)) });
    const built = this.#result(() => this.#build(program, app));
    const runs = "throws" in built ? [] : program.runs.map((run) => this.#result(() => this.#ask(run, app)));
    const results = [built, ...runs];
    if (results.some((result) => "throws" in result)) return { results };
    return { results, effects: { asked: this.#asked, produced: this.#produced } };
  }

  #result(work: () => unknown): Result {
    try {
      return { gives: work() };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { throws: text.replaceAll(this.#outdir, "OUT").replace(/^(Dependency cycle detected: ).*/, "$1…") };
    }
  }

  #build({ children, dependencies }: Program, app: App): void {
    for (const part of children) this.#make(app, part);
    for (const { source, target, on } of dependencies) {
      const from = this.#constructs[source] as Construct | Chart | ApiObject;
      const to = this.#constructs[target] as Construct;
      if (on === "construct" && "addDependency" in from) from.addDependency(to);
      else from.node.addDependency(to);
    }
  }

  #make(scope: Construct, part: Part): void {
    const construct = this.#construct(scope, part);
    this.#constructs.push(construct);
    if (part.invalid !== undefined) {
      const messages = [...part.invalid];
      construct.node.addValidation({ validate: () => messages });
    }
    for (const child of part.children) this.#make(construct, child);
  }

  #construct(scope: Construct, part: Part): Construct {
    switch (part.is) {
      case "chart":
        return this.#chart(scope, part);
      case "object":
        return this.#object(scope, part);
      case "construct":
        return new Construct(scope, part.id);
    }
  }

  #chart(scope: Construct, part: ChartPart): Chart {
    const { namespace, labels, disableResourceNameHashes } = part;
    return new (this.#chartClass(part))(scope, part.id, {
      ...(namespace !== undefined && { namespace }),
      ...(labels !== undefined && { labels: this.#members(labels) as Record<string, string> }),
      ...(disableResourceNameHashes !== undefined && { disableResourceNameHashes }),
    });
  }

  #chartClass({ toJson, generateObjectName, children }: ChartPart): typeof Chart {
    if (toJson === undefined && generateObjectName === undefined) return this.#lib.Chart;
    return class extends this.#lib.Chart {
      override toJson(): never[] {
        const object = children.find((child) => child.is === "object" && child.children.length === 0);
        if (toJson === "removing" && object !== undefined) this.node.tryRemoveChild(object.id.replaceAll("/", "--"));
        return renderings[toJson ?? "same"](super.toJson()) as never[];
      }

      override generateObjectName(object: ApiObject): string {
        if (generateObjectName === "by kind") return `${object.kind}-${object.node.id}`;
        return `${generateObjectName === "prefixed" ? "p-" : ""}${super.generateObjectName(object)}`;
      }
    };
  }

  #object(scope: Construct, part: ObjectPart): ApiObject {
    const props = this.#members(part.props);
    const object = new (this.#objectClass(part))(scope, part.id, props as never);
    for (const call of part.calls) this.#call(object, call);
    object.addJsonPatch(...part.patches.map((patch) => this.#patch(patch)));
    return object;
  }

  #objectClass({ toJson }: ObjectPart): typeof ApiObject {
    if (toJson === undefined) return this.#lib.ApiObject;
    return class extends this.#lib.ApiObject {
      override toJson(): unknown {
        const { apiVersion, kind, metadata, ...rest } = super.toJson();
        return toJson === "less" ? { apiVersion, kind, metadata } : { apiVersion, kind, metadata, ...rest, more: [1] };
      }
    };
  }

  #call({ metadata }: ApiObject, call: MetadataCall): void {
    switch (call.call) {
      case "addLabel":
      case "addAnnotation":
      case "add":
        metadata[call.call](call.key, this.#value(call.value) as string);
        break;
      case "addFinalizers":
        metadata.addFinalizers(...call.finalizers);
        break;
      case "addOwnerReference":
        metadata.addOwnerReference({ apiVersion: "v1", kind: "Pod", name: call.name, uid: "u" });
        break;
      case "addLabelOf":
        metadata.addLabel(call.key, metadata.getLabel(call.from) as string);
        break;
    }
  }

  #patch(patch: Patch): JsonPatch {
    const { JsonPatch } = this.#lib;
    switch (patch.op) {
      case "add":
      case "replace":
      case "test":
        return JsonPatch[patch.op](patch.path, patch.value);
      case "remove":
        return JsonPatch.remove(patch.path);
      case "copy":
      case "move":
        return JsonPatch[patch.op](patch.from, patch.path);
    }
  }

  #resolver(resolver: Resolver): IResolver {
    return {
      resolve: (context) => {
        const { key, value } = context;
        const last = key.at(-1) ?? "";
        switch (resolver.replaces) {
          case "text":
            if (value === resolver.text) context.replaceValue(this.#value(resolver.by));
            return;
          case "number":
            if (typeof value === "number" && Math.abs(value) < resolver.below)
              context.replaceValue(value + resolver.plus);
            return;
          case "container":
            if (last === resolver.member && typeof value === "object" && !("replaced" in value)) {
              context.replaceValue({ replaced: true, by: this.#value(resolver.by) });
            }
            return;
          case "key":
            if (last.endsWith(resolver.suffix) && typeof value === "string" && !value.startsWith(resolver.prefix)) {
              context.replaceValue(`${resolver.prefix}${value}`);
            }
            return;
          case "nothing":
            this.#asked.push(key.join("/"));
        }
      },
    };
  }

  #members(members: Members): Record<string, unknown> {
    return Object.fromEntries(members.map(([name, value]) => [name, this.#value(value)]));
  }

  #value(value: Value): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (isList(value)) return value.map((element) => this.#value(element));
    if ("map" in value) return this.#members(value.map);
    if ("union" in value) return new IntOrString(value.union);
    if ("token" in value) return tokens[value.as](() => this.#value(value.token));
    if ("lazy" in value) {
      return this.#lib.Lazy.any({
        produce: () => {
          this.#produced += 1;
          return this.#value(value.lazy);
        },
      });
    }
    return specials[value.special](this.#lib);
  }

  #ask(run: Run, app: App): unknown {
    const { ApiObject, Chart, Testing } = this.#lib;
    const constructs = (): Construct[] => app.node.findAll() as Construct[];
    switch (run) {
      case "charts":
        return app.charts.map(({ node }) => node.path);
      case "synthYaml":
        return app.synthYaml();
      case "synth":
        app.synth();
        return readFiles(this.#outdir);
      case "toJson":
        return constructs()
          .filter((construct) => Chart.isChart(construct))
          .map((chart) => [chart.node.path, this.#result(() => Testing.synth(chart))]);
      case "objects":
        return constructs()
          .filter((construct) => ApiObject.isApiObject(construct))
          .map((object) => [
            object.node.path,
            String(object.name),
            this.#result(() => JSON.stringify(object.toJson())),
          ]);
    }
  }
}

const renderings: Readonly<
  Record<"same" | NonNullable<ChartPart["toJson"]>, (rendered: readonly unknown[]) => unknown>
> = {
  same: (rendered) => rendered,
  removing: (rendered) => rendered,
  more: (rendered) => [...rendered, { apiVersion: "v1", kind: "More", metadata: { name: "more" } }],
  map: (rendered) =>
    Object.fromEntries(rendered.map((object, index) => [index % 2 === 0 ? `k${index}` : index, object])),
  first: (rendered) => rendered.slice(0, 1),
  gap: (rendered) => [undefined, ...rendered],
};

class IntOrString {
  readonly value: number | string;
  constructor(value: number | string) {
    this.value = value;
  }
}

class Token {
  readonly #value: () => unknown;
  constructor(value: () => unknown) {
    this.#value = value;
  }
  resolve(): unknown {
    return this.#value();
  }
}

const tokens = {
  class: (value: () => unknown): unknown => new Token(value),
  map: (value: () => unknown): unknown => ({ resolve: value, other: 1 }),
  hidden: (value: () => unknown): unknown => Object.defineProperty({ other: 1 }, "resolve", { value }),
};

class Instance {
  readonly a = 1;
}

const specials = {
  undefined: (): unknown => undefined,
  instance: (): unknown => new Instance(),
  failing: (lib: Library): unknown =>
    lib.Lazy.any({
      produce: () => {
        throw new RangeError("this value cannot be computed");
      },
    }),
};

function isList(value: readonly Value[] | object): value is readonly Value[] {
  return Array.isArray(value);
}
