import type { JsonObject, JsonValue } from "@slipway/objects";

/** One recorded sequence: the steps of one file, in their order. */
export interface Recording {
  /** `kube/http/basics`, `cozystack/watch`: the folder that was given, then the file without its ending. */
  readonly name: string;
  readonly format: "kube" | "cozystack" | "kubectl";
  readonly steps: readonly RecordedStep[];
}

export type RecordedStep = HttpStep | KubectlStep;

export interface RecordedRequest {
  readonly method: string;
  /** With its references, as recorded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What was sent, in its own spelling, with its references. */
  readonly body?: string | undefined;
  /** Whether `body` is JSON whose strings hold references, not text that holds them. */
  readonly bodyIsJson: boolean;
  readonly anonymous: boolean;
}

export type RecordedBody =
  | { readonly form: "none" }
  | { readonly form: "json"; readonly value: JsonValue }
  | { readonly form: "text"; readonly text: string }
  | { readonly form: "bytes"; readonly bytes: Uint8Array }
  /** Only the length and the first bytes were kept. */
  | { readonly form: "excerpt"; readonly length: number; readonly start: string };

export interface RecordedWatch {
  readonly events: readonly JsonValue[];
  readonly endedBy: "client" | "server";
}

/** An object that the step must have left behind the server; `null`: none. */
export interface RecordedEffect {
  readonly name: string;
  readonly object: JsonObject | null;
}

export interface HttpStep {
  readonly type: "http";
  readonly id: string;
  readonly about: string;
  /** Prepares the ground: sent, and only its success is looked at. */
  readonly isPreparation: boolean;
  /** Sent until the answer is the recorded one. */
  readonly isRepeated: boolean;
  readonly request: RecordedRequest;
  /** Sent before, to the backend. */
  readonly before?: HttpStep | undefined;
  /** Sent while the watch was open. */
  readonly during: readonly HttpStep[];
  /** 0: the connection was closed without an answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: RecordedBody;
  readonly watch?: RecordedWatch | undefined;
  readonly effects: readonly RecordedEffect[];
  /** Whether `metadata.managedFields` of effects were recorded. */
  readonly effectsHaveManagers: boolean;
}

export interface KubectlStep {
  readonly type: "kubectl";
  readonly id: string;
  readonly about: string;
  readonly args: readonly string[];
  readonly stdin?: string | undefined;
  readonly files: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly during: readonly KubectlStep[];
  /** In milliseconds after the invocations of `during`; SIGINT is sent then. */
  readonly stoppedAfterMs?: number | undefined;
  readonly exitCode: number | null;
  readonly signal?: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** A GET right after the step. */
  readonly serverState?: { readonly path: string; readonly status: number; readonly body: JsonValue } | undefined;
  /** Objects to create beforehand, and statuses to set. Such a step runs nothing. */
  readonly setup?: { readonly objects: readonly JsonObject[]; readonly statuses: readonly JsonValue[] } | undefined;
}
