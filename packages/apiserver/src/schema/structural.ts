export interface StructuralSchema {
  readonly type?: string | undefined;
}
