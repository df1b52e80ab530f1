import type { ObjectForm } from "../resource.ts";
import { agePrinterColumn, printerColumns } from "../table.ts";

/** autoscaling/v1 Scale: how `/scale` shows an object of any kind. */
export const scaleForm: ObjectForm = {
  group: "autoscaling",
  version: "v1",
  names: { kind: "Scale", plural: "scales", singular: "scale" },
  namespaced: true,
  message: "autoscaling.v1.Scale",
  missingKind: "fill",
  bodyRefusal: 'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:111"',
  order: "typed",
  table: printerColumns([
    { name: "Desired", type: "integer", description: "Number of desired replicas", jsonPath: ".spec.replicas" },
    { name: "Available", type: "integer", description: "Number of actual replicas", jsonPath: ".status.replicas" },
    agePrinterColumn,
  ]),
};
