/** The node could not be reached or did not reply in time. Where it may have heard us, the request may have been carried out. */
export class NodeUnreachable extends Error {
  override name = 'NodeUnreachable'
  readonly mayHaveHeard: boolean

  constructor(message: string, mayHaveHeard: boolean) {
    super(message)
    this.mayHaveHeard = mayHaveHeard
  }
}

/** The node replied with what no sound node says: garbage, another block than the requested one, work that is not enough. */
export class NodeNonsense extends Error {
  override name = 'NodeNonsense'
}

/** The node refused, in its own words. */
export class NodeRefusal extends Error {
  override name = 'NodeRefusal'
}

/** Whether a node is the cause: the same question may be asked again later, of another one. */
export const isNodeTrouble = (error: unknown): error is Error =>
  [NodeUnreachable, NodeNonsense, NodeRefusal].some((kind) => error instanceof kind)
