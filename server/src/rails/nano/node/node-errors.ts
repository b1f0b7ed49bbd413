/** The node could not be asked or did not answer in time. Where it may have heard us, what was asked may have happened. */
export class NodeUnreachable extends Error {
  override name = 'NodeUnreachable'
  readonly mayHaveHeard: boolean

  constructor(message: string, mayHaveHeard: boolean) {
    super(message)
    this.mayHaveHeard = mayHaveHeard
  }
}

/** The node answered what no sound node answers: garbage, another block than was asked for, work that is none. */
export class NodeNonsense extends Error {
  override name = 'NodeNonsense'
}

/** The node's own no, in its words. */
export class NodeRefusal extends Error {
  override name = 'NodeRefusal'
}
