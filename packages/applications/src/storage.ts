import type {
  Creator,
  DeleteRequest,
  DeleteResult,
  Deleter,
  Getter,
  Lister,
  ListRequest,
  ListResult,
  ObjectChange,
  ObjectKey,
  RequestContext,
  RestEvent,
  RestStorage,
  ServerHost,
  UpdateRequest,
  Updater,
  Watcher,
  WatchRequest,
  WriteRequest,
} from "@slipway/apiserver";
import {
  ApiStatusError,
  alreadyExists,
  badRequest,
  byCodeUnit,
  conflict,
  failure,
  type GroupResource,
  getMember,
  type JsonValue,
  jsonEquals,
  type KubeClient,
  type KubernetesObject,
  MODIFIED_SINCE_READ,
  notFound,
  type ObjectRef,
  type Preconditions,
} from "@slipway/objects";
import { ApplicationViews } from "./application-views.ts";
import { inApplicationWords, isRefusal } from "./backend-errors.ts";
import { carryOverShown } from "./carry-over.ts";
import type { Definition } from "./definition.ts";
import { applicationGroup, applicationLabels, maxNameLength, releaseName } from "./derived-names.ts";
import {
  belongsTo,
  hiddenValues,
  newRelease,
  releaseKind,
  shownSpec,
  storedValues,
  updatedRelease,
} from "./release-backend.ts";
import { applicationSelector } from "./selectors.ts";
import { checkCreate, checkUpdate } from "./strategy.ts";
import { readManySurroundings, readSurroundings, type SurroundingsReader } from "./surroundings.ts";
import { watchApplications } from "./watch.ts";

export interface ApplicationOptions {
  readonly host: Pick<ServerHost, "now" | "nameSuffix">;
}

/** Names tried for one `generateName`, as kube-apiserver does. */
const maxGeneratedNames = 8;
/** Writers of one object that may come in between, before an update gives up. Each round one of them succeeds. */
const maxUpdateAttempts = 32;
const nameSuffixLength = 5;
const maxLabelLength = 63;

/**
 * The applications of one kind: views of the Helm releases in the cluster behind `client`. Nothing else is stored.
 *
 * There is no `deleteCollection`, as in Cozystack: clients list and delete.
 */
export function createApplicationStorage(
  definition: Definition,
  client: KubeClient,
  options: ApplicationOptions,
): RestStorage {
  return new ApplicationStorage(definition, client, options);
}

class ApplicationStorage implements Getter, Lister, Watcher, Creator, Updater, Deleter {
  readonly #definition: Definition;
  readonly #client: KubeClient;
  readonly #host: ApplicationOptions["host"];
  readonly #reader: SurroundingsReader;
  readonly #resource: GroupResource;
  readonly #views: ApplicationViews;

  constructor(definition: Definition, client: KubeClient, { host }: ApplicationOptions) {
    this.#definition = definition;
    this.#client = client;
    this.#host = host;
    this.#reader = { client, now: host.now };
    this.#resource = { group: applicationGroup, resource: definition.plural };
    this.#views = new ApplicationViews(definition);
  }

  async get(context: RequestContext, key: ObjectKey): Promise<KubernetesObject> {
    const release = await this.#readRelease(context, key);
    return this.#toApplication(context, release);
  }

  async list(context: RequestContext, request: ListRequest): Promise<ListResult> {
    const selector = applicationSelector(this.#definition, request);
    const { signal } = context;
    const { items, resourceVersion } = await this.#inWords("", () =>
      this.#client.list(releaseKind, { ...selector.releases, signal }),
    );
    const releases = items.filter((release) => belongsTo(this.#definition, release));
    const { namespace = "" } = selector.releases;
    const around = await readManySurroundings(this.#reader, this.#definition, releases, namespace, signal);
    const applications = releases
      .map((release) => this.#views.of(release, around(release)))
      .filter((application) => selector.matches(application))
      .sort(byNamespaceAndName);
    return { items: applications, resourceVersion };
  }

  watch(context: RequestContext, request: WatchRequest): AsyncIterable<RestEvent> {
    return watchApplications(this.#definition, this.#views, this.#client, this.#host.now, context, request);
  }

  async create(
    context: RequestContext,
    application: KubernetesObject,
    request: WriteRequest,
  ): Promise<KubernetesObject> {
    const { name = "", generateName = "", resourceVersion = "" } = application.metadata;
    if (resourceVersion !== "" && resourceVersion !== "0") {
      throw badRequest("resourceVersion should not be set on objects to be created");
    }
    if (name !== "" || generateName === "") return this.#createNamed(context, application, request);
    for (let attempt = 1; ; attempt += 1) {
      const generated = this.#generateName(generateName);
      const named = { ...application, metadata: { ...application.metadata, name: generated } };
      try {
        return await this.#createNamed(context, named, request);
      } catch (error) {
        if (!isRefusal(error, "AlreadyExists")) throw error;
        if (attempt === maxGeneratedNames) throw this.#noNameLeft(generated, error);
      }
    }
  }

  /** Cut so that the release's name fits too, not only the application's. */
  #generateName(base: string): string {
    const longest = Math.min(maxNameLength(this.#definition.release.prefix), maxLabelLength);
    return `${base.slice(0, Math.max(longest - nameSuffixLength, 0))}${this.#host.nameSuffix()}`;
  }

  #noNameLeft(name: string, cause: unknown): ApiStatusError {
    const { status } = alreadyExists(this.#resource, name);
    const why = "the server was not able to generate a unique name for the object";
    return new ApiStatusError(
      { ...status, message: `${status.message}, ${why}`, details: { ...status.details, retryAfterSeconds: 1 } },
      { cause },
    );
  }

  async #createNamed(
    context: RequestContext,
    application: KubernetesObject,
    { dryRun, fieldManager }: WriteRequest,
  ): Promise<KubernetesObject> {
    checkCreate(this.#definition, application);
    const { name = "", namespace = "" } = application.metadata;
    const { signal } = context;
    const release = newRelease(this.#definition, application);
    try {
      const created = await this.#client.create(release, { dryRun, fieldManager, signal });
      return await this.#toApplication(context, created);
    } catch (error) {
      if (isRefusal(error, "AlreadyExists")) throw await this.#taken(context, { namespace, name }, error);
      throw inApplicationWords(error, this.#definition, name);
    }
  }

  /**
   * Why the release is there already. Two kinds may lead to one release, `kubernetes-` with `nodes-x` and
   * `kubernetes-nodes-` with `x`; the message then says who has it.
   */
  async #taken(context: RequestContext, key: ObjectKey, cause: ApiStatusError): Promise<ApiStatusError> {
    const { status } = alreadyExists(this.#resource, key.name);
    const { signal } = context;
    const release = await this.#inWords(key.name, () => this.#client.get(this.#releaseOf(key), { signal }));
    const isOurs = release === undefined || belongsTo(this.#definition, release);
    const message = isOurs ? status.message : `${status.message}: ${holderOf(release)}`;
    return new ApiStatusError(failure("AlreadyExists", message ?? "", status.details), { cause });
  }

  async update(
    context: RequestContext,
    key: ObjectKey,
    change: ObjectChange,
    request: UpdateRequest,
  ): Promise<KubernetesObject> {
    const { dryRun, fieldManager } = request;
    const { signal } = context;
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      const live = await this.#readRelease(context, key);
      const shown = await this.#toApplication(context, live);
      this.#checkPreconditions(shown, request.preconditions);
      const changed = await change(shown);
      const next = this.#nextRelease(live, shown, changed, request.patch);
      if (jsonEquals(next, live)) return shown;
      try {
        const updated = await this.#client.update(next, { dryRun, fieldManager, signal });
        return await this.#toApplication(context, updated);
      } catch (error) {
        // Somebody else wrote in between: what the client wants is computed anew from what is there now.
        if (isRefusal(error, "Conflict") && attempt < maxUpdateAttempts) continue;
        throw inApplicationWords(error, this.#definition, key.name);
      }
    }
  }

  /** Checks the changed application and puts it on the release. */
  #nextRelease(
    live: KubernetesObject,
    shown: KubernetesObject,
    changed: KubernetesObject,
    isPatch: boolean,
  ): KubernetesObject {
    const { name = "", uid, resourceVersion } = shown.metadata;
    const { uid: wantedUid = "", resourceVersion: wantedVersion = "" } = changed.metadata;
    if (wantedUid !== "" && wantedUid !== uid) {
      const why = `Precondition failed: UID in precondition: ${wantedUid}, UID in object meta: ${uid}`;
      throw conflict(this.#resource, name, why);
    }
    if (wantedVersion !== "" && wantedVersion !== "0" && wantedVersion !== resourceVersion) {
      throw conflict(this.#resource, name, MODIFIED_SINCE_READ);
    }
    checkUpdate(this.#definition, changed, live);
    const values = isPatch ? this.#patchedValues(live, changed) : givenValues(live, changed);
    return updatedRelease(this.#definition, changed, live, values);
  }

  /** A patch was made from what was shown; only what it changed is stored, so that defaults stay defaults. */
  #patchedValues(live: KubernetesObject, changed: KubernetesObject): JsonValue | undefined {
    const spec = getMember(changed, "spec") ?? undefined;
    const stored = storedValues(live);
    if (spec === undefined) return givenValues(live, changed);
    return carryOverShown(stored, spec, (values) => shownSpec(this.#definition, values));
  }

  async delete(context: RequestContext, key: ObjectKey, request: DeleteRequest): Promise<DeleteResult> {
    const { signal } = context;
    const { dryRun, fieldManager, options } = request;
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      const release = await this.#readRelease(context, key);
      // A release whose label names another application is not deleted under this name: the root tenant's.
      if (release.metadata.labels?.[applicationLabels.name] !== key.name) throw notFound(this.#resource, key.name);
      const application = await this.#toApplication(context, release);
      this.#checkDeletion(application, options.preconditions);
      try {
        const left = await this.#client.delete(this.#releaseOf(key), {
          ...options,
          // What was looked at is what goes, and not a release that has taken its place.
          preconditions: { ...options.preconditions, uid: release.metadata.uid },
          dryRun,
          fieldManager,
          signal,
        });
        if (left === undefined) return { done: true, object: application };
        return { done: false, object: await this.#toApplication(context, left) };
      } catch (error) {
        if (isRefusal(error, "Conflict") && attempt < maxUpdateAttempts) continue;
        throw inApplicationWords(error, this.#definition, key.name);
      }
    }
  }

  #checkPreconditions({ metadata }: KubernetesObject, preconditions: Preconditions | undefined): void {
    const { name = "" } = metadata;
    const differs = (what: string, wanted: string | undefined, actual: string | undefined): void => {
      if (wanted === undefined || wanted === actual) return;
      const why = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${actual}`;
      throw conflict(this.#resource, name, why);
    };
    differs("UID", preconditions?.uid, metadata.uid);
    differs("ResourceVersion", preconditions?.resourceVersion, metadata.resourceVersion);
  }

  /** In the words of a deletion, which names the kind where other conflicts name the resource. */
  #checkDeletion({ metadata }: KubernetesObject, preconditions: Preconditions | undefined): void {
    const { name = "" } = metadata;
    const kind = { group: applicationGroup, resource: this.#definition.kind };
    const differs = (what: string, wanted: string | undefined, actual: string | undefined, maybe: string): void => {
      if (wanted === undefined || wanted === actual) return;
      const why = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${actual})`;
      throw conflict(kind, name, `${why}. The object might have been ${maybe}`);
    };
    differs("UID", preconditions?.uid, metadata.uid, "deleted and then recreated");
    differs("ResourceVersion", preconditions?.resourceVersion, metadata.resourceVersion, "modified");
  }

  /** @throws {ApiStatusError} `NotFound`, also for a release that belongs to something else */
  async #readRelease({ signal }: RequestContext, key: ObjectKey): Promise<KubernetesObject> {
    const release = await this.#inWords(key.name, () => this.#client.get(this.#releaseOf(key), { signal }));
    if (release === undefined || !belongsTo(this.#definition, release)) throw notFound(this.#resource, key.name);
    return release;
  }

  #releaseOf({ namespace, name }: ObjectKey): ObjectRef {
    return { ...releaseKind, namespace, name: releaseName(this.#definition.release.prefix, name) };
  }

  async #toApplication({ signal }: RequestContext, release: KubernetesObject): Promise<KubernetesObject> {
    const around = await readSurroundings(this.#reader, this.#definition, release, signal);
    return this.#views.of(release, around);
  }

  async #inWords<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw inApplicationWords(error, this.#definition, name);
    }
  }
}

/** What a PUT stores: what was sent, and the platform's own values, which clients can neither see nor send. */
function givenValues(live: KubernetesObject, { spec }: KubernetesObject): JsonValue | undefined {
  const hidden = hiddenValues(storedValues(live));
  if (Object.keys(hidden).length === 0) return spec ?? undefined;
  return { ...hidden, ...(spec as object) };
}

function holderOf(release: KubernetesObject): string {
  const { labels = {} } = release.metadata;
  const [kind, name] = [labels[applicationLabels.kind], labels[applicationLabels.name]];
  return kind === undefined || name === undefined
    ? "what it would be stored as is there and belongs to no application"
    : `it would be stored as what ${kind} "${name}" is stored as`;
}

function byNamespaceAndName({ metadata: a }: KubernetesObject, { metadata: b }: KubernetesObject): number {
  return byCodeUnit(a.namespace ?? "", b.namespace ?? "") || byCodeUnit(a.name ?? "", b.name ?? "");
}
