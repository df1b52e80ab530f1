import { jsonEquals, type KubernetesObject } from "@slipway/objects";
import type { Definition } from "./definition.ts";
import { type Surroundings, shownStatus, toApplication } from "./release-backend.ts";

/**
 * What releases are shown as, made once per release and not once per reader: the same release in the same surroundings
 * gives the same application object, so that its text can be shared too.
 */
export class ApplicationViews {
  readonly #definition: Definition;
  readonly #views = new WeakMap<KubernetesObject, KubernetesObject>();

  constructor(definition: Definition) {
    this.#definition = definition;
  }

  of(release: KubernetesObject, surroundings: Surroundings): KubernetesObject {
    const view = this.#views.get(release);
    // The status alone depends on what is around the release.
    if (view !== undefined && jsonEquals(view.status, shownStatus(this.#definition, release, surroundings)))
      return view;
    const application = toApplication(this.#definition, release, surroundings);
    this.#views.set(release, application);
    return application;
  }
}
