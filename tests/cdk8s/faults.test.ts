import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ApiObjectProps, Chart, IAnyProducer } from "cdk8s";
import type { Construct } from "constructs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyProgram } from "./any-program.ts";
import { type Library, peer } from "./libraries.ts";
import { readFiles } from "./output-files.ts";
import { runProgram } from "./run-program.ts";

/** Random programs are worth what they find: each of these is cdk8s with a fault, which they are to find. */
const faults: readonly { readonly fault: string; readonly lib: Library }[] = [
  {
    fault: "charts are written in the order of the tree",
    lib: {
      ...peer,
      App: class extends peer.App {
        override get charts(): Chart[] {
          const charts = this.node.findAll().filter((construct) => peer.Chart.isChart(construct));
          return super.charts.toSorted((a, b) => charts.indexOf(a) - charts.indexOf(b));
        }
      },
    },
  },
  {
    fault: "a file of several objects ends with an empty line",
    lib: {
      ...peer,
      App: class extends peer.App {
        override synth(): void {
          super.synth();
          for (const [name, text] of Object.entries(readFiles(this.outdir))) {
            if (text.includes("---")) writeFileSync(join(this.outdir, name), `${text}\n`);
          }
        }
      },
    },
  },
  {
    fault: "labels of the chart win over those of the object",
    lib: {
      ...peer,
      ApiObject: class extends peer.ApiObject {
        constructor(scope: Construct, id: string, props: ApiObjectProps) {
          super(scope, id, props);
          for (const [key, value] of Object.entries(this.chart.labels)) this.metadata.addLabel(key, value);
        }
      },
    },
  },
  {
    fault: "a Lazy is computed twice",
    lib: {
      ...peer,
      Lazy: class extends (peer.Lazy as unknown as new () => object) {
        static any(producer: IAnyProducer): unknown {
          return peer.Lazy.any({
            produce: () => {
              producer.produce();
              return producer.produce();
            },
          });
        }
      } as never,
    },
  },
  {
    fault: "a name of 53 characters is one for a CronJob",
    lib: {
      ...peer,
      Chart: class extends peer.Chart {
        override generateObjectName(...args: Parameters<Chart["generateObjectName"]>): string {
          const [object] = args;
          const name = super.generateObjectName(object);
          return object.kind === "CronJob" && name.length === 52 ? `${name.slice(0, 43)}x${name.slice(43)}` : name;
        }
      },
    },
  },
];

test.for(faults)("found out: $fault", { timeout: 60_000 }, ({ lib }) => {
  const agrees = fc.property(anyProgram, (program) => {
    expect(runProgram(program, lib)).toStrictEqual(runProgram(program, peer));
  });
  const { failed, numRuns } = fc.check(agrees, { numRuns: 2_000, endOnFailure: true });
  expect(failed, `${numRuns} programs agree`).toBe(true);
});
