/** A field of a message of Kubernetes: where it is on the wire, how Go prints it as JSON, and how patches merge it. */
export interface MessageField {
  readonly number: number;
  /** `always`: also when it is zero. `value`: unless it is zero or empty. `pointer`: when it was sent. */
  readonly form: "always" | "value" | "pointer" | "list" | "map";
  /**
   * Of the value, of the items of a list or of the values of a map, whose keys are strings: `bool`, `bytes`, `int32`,
   * `int64`, `string`, one of the types with a form of their own, or the name of a message.
   */
  readonly type: string;
  /** What Go's errors call the type when it is a scalar with a type of its own. */
  readonly goName?: string | undefined;
  /** Of strategic merge patches: `merge`, `replace`, `retainKeys`, or several of them with commas. */
  readonly patchStrategy?: string | undefined;
  /** The member that tells the items of a merged list apart; absent in lists of scalars. */
  readonly patchMergeKey?: string | undefined;
}

/** By the names that JSON gives them, in the order in which Go prints them. */
export type MessageFields = Readonly<Record<string, MessageField>>;

type Maker = (number: number, type: string, patchStrategy?: string, patchMergeKey?: string) => MessageField;

const maker =
  (form: MessageField["form"]): Maker =>
  (number, type, patchStrategy, patchMergeKey) => ({ number, form, type, patchStrategy, patchMergeKey });

export const always: Maker = maker("always");
export const value: Maker = maker("value");
export const pointer: Maker = maker("pointer");
export const list: Maker = maker("list");
export const map: Maker = maker("map");

export function named(goName: string, field: MessageField): MessageField {
  return { ...field, goName };
}
