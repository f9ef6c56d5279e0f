/** What `npm run test:kubernetes` hands to its tests. */
export interface Cluster {
  readonly kubectl: string;
  /** Whether it is the node that the command started: it is one node, and its pods are reached by their addresses. */
  readonly isOwn: boolean;
  /** The image of the sandbox, by a name that the nodes know. */
  readonly image: string;
  /** The source of agent-sandbox, whose controller and router run in the cluster; undefined without it. */
  readonly agentSandbox: string | undefined;
  /** The built sandboxd, the reference of the conformance tests; undefined without it. */
  readonly sandboxd: string | undefined;
  /** A Python that has the project's published client; undefined if it cannot be installed. */
  readonly python: string | undefined;
}

/** The variable that has it, as JSON. */
export const CLUSTER_VARIABLE = 'TEST_KUBERNETES';
