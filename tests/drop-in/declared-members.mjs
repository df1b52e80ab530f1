/**
 * What a declaration file declares, as JSON on stdout: a text for each member by its name (`App.charts`). Names of
 * parameters and the order of unions say nothing to a program, so they are left out.
 *
 *   node declared-members.mjs FILE.d.ts
 *
 * Not TypeScript: it needs a compiler with a JavaScript API, which is among the peers.
 */
import ts from "./peers/node_modules/typescript-6.0/lib/typescript.js";

const [file] = process.argv.slice(2);
const program = ts.createProgram([file], {
  module: ts.ModuleKind.CommonJS,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  strict: true,
  types: [],
});
const checker = program.getTypeChecker();
const module = checker.getSymbolAtLocation(program.getSourceFile(file));

const members = {};
for (const exported of checker.getExportsOfModule(module)) describe(exported);
process.stdout.write(JSON.stringify(members));

/** @param {ts.Symbol} exported */
function describe(exported) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const { name, flags } = symbol;
  const declaration = symbol.declarations[0];
  if (flags & ts.SymbolFlags.Enum) {
    members[name] = `${ts.isEnumDeclaration(declaration) ? "enum" : "no enum"}`;
    for (const member of symbol.exports.values())
      members[`${name}.${member.name}`] = String(checker.getConstantValue(member.valueDeclaration));
  } else if (flags & ts.SymbolFlags.Function) {
    members[name] = signatures(checker.getTypeOfSymbol(symbol), ts.SignatureKind.Call);
  } else if (flags & ts.SymbolFlags.Class) {
    const type = checker.getTypeOfSymbol(symbol);
    members[name] = `class ${bases(symbol)}`;
    members[`new ${name}`] = constructors(symbol, type);
    addProperties(`static ${name}`, type);
    addProperties(name, checker.getDeclaredTypeOfSymbol(symbol));
  } else if (flags & ts.SymbolFlags.Interface) {
    members[name] = `interface ${bases(symbol)}`;
    addProperties(name, checker.getDeclaredTypeOfSymbol(symbol));
  } else {
    members[name] = `type ${checker.typeToString(checker.getDeclaredTypeOfSymbol(symbol))}`;
  }
}

/** @param {ts.Symbol} symbol */
function bases(symbol) {
  const clauses = symbol.declarations.flatMap((declaration) => declaration.heritageClauses ?? []);
  const types = clauses.flatMap((clause) => clause.types.map((type) => type.expression.getText()));
  return types.length === 0 ? "" : `of ${types.join(", ")}`;
}

function constructors(symbol, type) {
  const own = symbol.declarations.flatMap((declaration) => declaration.members).find(ts.isConstructorDeclaration);
  const access = own !== undefined && isHidden(own) ? "private " : "";
  return access + (access === "" ? signatures(type, ts.SignatureKind.Construct) : "");
}

/** @param {string} owner @param {ts.Type} type */
function addProperties(owner, type) {
  for (const property of checker.getPropertiesOfType(type)) {
    const declaration = property.valueDeclaration ?? property.declarations?.[0];
    if (declaration === undefined || property.name === "prototype" || isHidden(declaration)) continue;
    if (declaration.getSourceFile().fileName.includes("/constructs/")) continue;
    // A symbol has a name with a number in it, which is different in each program.
    const name = property.name.replace(/^__@(\w+)@\d+$/, "[$1]");
    members[`${owner}.${name}`] = textOfProperty(property, declaration);
  }
  for (const { keyType, type: valueType, isReadonly } of checker.getIndexInfosOfType(type)) {
    const access = isReadonly ? "readonly " : "";
    members[`${owner}.[${checker.typeToString(keyType)}]`] = access + textOf(valueType);
  }
}

function textOfProperty(property, declaration) {
  const type = checker.getTypeOfSymbol(property);
  const optional = property.flags & ts.SymbolFlags.Optional ? "?" : "";
  if (property.flags & ts.SymbolFlags.Method) return `method${optional} ${signatures(type, ts.SignatureKind.Call)}`;
  const isGetter = ts.isGetAccessorDeclaration(declaration);
  const isReadonly = isGetter || ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Readonly;
  return `${isReadonly ? "readonly" : "writable"}${optional} ${textOf(type, optional !== "")}`;
}

/** @param {ts.Type} type @param {ts.SignatureKind} kind */
function signatures(type, kind) {
  return checker.getSignaturesOfType(type, kind).map(textOfSignature).join(" & ");
}

/** @param {ts.Signature} signature */
function textOfSignature(signature) {
  const parameters = signature.getParameters().map((parameter) => {
    const { valueDeclaration: declaration } = parameter;
    const isOptional = checker.isOptionalParameter(declaration);
    const text = textOf(checker.getTypeOfSymbol(parameter), isOptional);
    return (declaration.dotDotDotToken === undefined ? "" : "...") + text + (isOptional ? "?" : "");
  });
  const predicate = checker.getTypePredicateOfSignature(signature);
  const returned = predicate === undefined ? textOf(signature.getReturnType()) : `is ${textOf(predicate.type)}`;
  return `(${parameters.join(", ")}): ${returned}`;
}

/** @param {ts.Type} type @param {boolean} [isOptional] Then it says nothing that undefined is possible. */
function textOf(type, isOptional = false) {
  const parts = type.isUnion() && !(type.flags & ts.TypeFlags.EnumLike) ? type.types : [type];
  const texts = parts
    .filter((part) => !(isOptional && part.flags & ts.TypeFlags.Undefined))
    .map((part) => checker.typeToString(part, undefined, ts.TypeFormatFlags.NoTruncation));
  // `boolean` is a union as well.
  return [...new Set(texts.map((text) => text.replace(/^(?:true|false)$/, "boolean")))]
    .sort((a, b) => (a < b ? -1 : 1))
    .join(" | ");
}

function isHidden(declaration) {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  const isNamed = declaration.name !== undefined && ts.isPrivateIdentifier(declaration.name);
  return isNamed || (ts.getCombinedModifierFlags(declaration) & hidden) !== 0;
}
