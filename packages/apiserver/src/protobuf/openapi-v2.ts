import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { formatJson, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "@slipway/objects";

/** Writes a value into the field that is open; `undefined` fields are never written. */
type FieldWriter = (writer: BinaryWriter, number: number, value: JsonValue) => void;

/** Fields of a message by their names in JSON. */
interface MessageForm {
  readonly fields: Readonly<Record<string, readonly [number: number, write: FieldWriter]>>;
  /** The field that takes `x-` members. */
  readonly extensions?: number;
}

const text: FieldWriter = (writer, number, value) => {
  if (typeof value === "string" && value !== "") writer.tag(number, WireType.LengthDelimited).string(value);
};
const flag: FieldWriter = (writer, number, value) => {
  if (value === true) writer.tag(number, WireType.Varint).bool(true);
};
const double: FieldWriter = (writer, number, value) => {
  const amount = typeof value === "bigint" ? Number(value) : value;
  if (typeof amount === "number" && amount !== 0) writer.tag(number, WireType.Bit64).double(amount);
};
const integer: FieldWriter = (writer, number, value) => {
  const whole = typeof value === "bigint" || Number.isSafeInteger(value);
  if (whole && value !== 0) writer.tag(number, WireType.Varint).int64(value as number | bigint);
};

/** Anything, as YAML text. JSON is YAML. */
const any: FieldWriter = (writer, number, value) => {
  writer.tag(number, WireType.LengthDelimited).fork();
  text(writer, 2, `${formatJson(value)}\n`);
  writer.join();
};

function repeated(write: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    for (const item of isJsonArray(value) ? value : [value]) write(writer, number, item);
  };
}

function message(form: () => MessageForm): FieldWriter {
  return (writer, number, value) => {
    if (!isJsonObject(value)) return;
    writer.tag(number, WireType.LengthDelimited).fork();
    writeMessage(writer, form(), value);
    writer.join();
  };
}

/** A message with nothing but `inner` as field `field`: how v2 says which of several forms a value has. */
function within(field: number, inner: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    writer.tag(number, WireType.LengthDelimited).fork();
    inner(writer, field, value);
    writer.join();
  };
}

/** An object as a list of names and values. */
function named(write: FieldWriter): FieldWriter {
  return (writer, number, value) => {
    for (const [name, member] of Object.entries(isJsonObject(value) ? value : {})) {
      if (member === undefined) continue;
      writer.tag(number, WireType.LengthDelimited).fork();
      text(writer, 1, name);
      write(writer, 2, member);
      writer.join();
    }
  };
}

function writeMessage(writer: BinaryWriter, { fields, extensions }: MessageForm, value: JsonObject): void {
  for (const [name, [number, write]] of Object.entries(fields)) {
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (member !== undefined) write(writer, number, member);
  }
  if (extensions === undefined) return;
  for (const [name, member] of Object.entries(value)) {
    if (name.startsWith("x-") && member !== undefined) named(any)(writer, extensions, { [name]: member });
  }
}

const schema = message(() => schemaForm);

const schemaOrBoolean: FieldWriter = (writer, number, value) => {
  if (typeof value !== "boolean") return within(1, schema)(writer, number, value);
  // One of two fields: also false is written.
  writer.tag(number, WireType.LengthDelimited).fork();
  writer.tag(2, WireType.Varint).bool(value);
  writer.join();
};

const externalDocs = message(() => ({ fields: { description: [1, text], url: [2, text] }, extensions: 3 }));

const schemaForm: MessageForm = {
  fields: {
    $ref: [1, text],
    format: [2, text],
    title: [3, text],
    description: [4, text],
    default: [5, any],
    multipleOf: [6, double],
    maximum: [7, double],
    exclusiveMaximum: [8, flag],
    minimum: [9, double],
    exclusiveMinimum: [10, flag],
    maxLength: [11, integer],
    minLength: [12, integer],
    pattern: [13, text],
    maxItems: [14, integer],
    minItems: [15, integer],
    uniqueItems: [16, flag],
    maxProperties: [17, integer],
    minProperties: [18, integer],
    required: [19, repeated(text)],
    enum: [20, repeated(any)],
    additionalProperties: [21, schemaOrBoolean],
    type: [22, within(1, repeated(text))],
    items: [23, within(1, repeated(schema))],
    allOf: [24, repeated(schema)],
    properties: [25, within(1, named(schema))],
    externalDocs: [29, externalDocs],
    example: [30, any],
  },
  extensions: 31,
};

const bodyParameter = message(() => ({
  fields: {
    description: [1, text],
    name: [2, text],
    in: [3, text],
    required: [4, flag],
    schema: [5, schema],
  },
  extensions: 6,
}));

const queryParameter = message(() => ({
  fields: {
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [6, text],
    format: [7, text],
    uniqueItems: [20, flag],
  },
  extensions: 23,
}));

const pathParameter = message(() => ({
  fields: {
    required: [1, flag],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [5, text],
    format: [6, text],
    uniqueItems: [19, flag],
  },
  extensions: 22,
}));

const parameter: FieldWriter = (writer, number, value) => {
  const place = isJsonObject(value) ? value.in : undefined;
  const form =
    place === "body"
      ? within(1, bodyParameter)
      : within(2, place === "path" ? within(4, pathParameter) : within(3, queryParameter));
  within(1, form)(writer, number, value);
};

const response = message(() => ({
  fields: { description: [1, text], schema: [2, within(1, schema)] },
  extensions: 5,
}));

const operation = message(() => ({
  fields: {
    tags: [1, repeated(text)],
    summary: [2, text],
    description: [3, text],
    operationId: [5, text],
    produces: [6, repeated(text)],
    consumes: [7, repeated(text)],
    parameters: [8, repeated(parameter)],
    responses: [9, within(1, named(within(1, response)))],
    schemes: [10, repeated(text)],
  },
  extensions: 13,
}));

const pathItem = message(() => ({
  fields: {
    get: [2, operation],
    put: [3, operation],
    post: [4, operation],
    delete: [5, operation],
    options: [6, operation],
    head: [7, operation],
    patch: [8, operation],
    parameters: [9, repeated(parameter)],
  },
  extensions: 10,
}));

const apiKey = message(() => ({
  fields: { type: [1, text], name: [2, text], in: [3, text], description: [4, text] },
  extensions: 5,
}));

const document: MessageForm = {
  fields: {
    swagger: [1, text],
    info: [2, message(() => ({ fields: { title: [1, text], version: [2, text], description: [3, text] } }))],
    paths: [8, within(2, named(pathItem))],
    definitions: [9, within(1, named(schema))],
    security: [12, repeated(within(1, named(within(1, repeated(text)))))],
    securityDefinitions: [13, within(1, named(within(2, apiKey)))],
  },
  extensions: 16,
};

/**
 * An OpenAPI v2 document as the message `openapi.v2.Document` of gnostic, which is how kubectl reads it. Members that
 * the documents of this server do not have are not known here.
 */
export function encodeOpenApiV2(swagger: JsonObject): Uint8Array {
  const writer = new BinaryWriter();
  writeMessage(writer, document, swagger);
  return writer.finish();
}
