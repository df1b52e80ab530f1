/** Of this program; the same in every package of Slipway. */
export const slipwayVersion = "0.1.0";

/** The Kubernetes whose wire behaviour the server has: what clients compare themselves with. */
export const kubernetesVersion = { major: "1", minor: "36" } as const;
