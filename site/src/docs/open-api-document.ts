/** An operation of the OpenAPI document, as far as the page needs it. */
export interface Operation {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  /** The example of a JSON body; undefined if the operation takes none, or something else. */
  readonly bodyExample: unknown
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly example?: unknown
}

interface OpenApiOperation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
}

let loaded: Promise<ReadonlyMap<string, Operation>> | undefined

/** Every operation by its name. Both documents are loaded when the first operation is tried. */
export function loadOperations(): Promise<ReadonlyMap<string, Operation>> {
  loaded ??= Promise.all(['/openapi.json', '/openapi-admin.json'].map(load)).then((parts) => new Map(parts.flat()))
  return loaded
}

async function load(url: string): Promise<[string, Operation][]> {
  const reply = await fetch(url)
  const { paths } = (await reply.json()) as OpenApiDocument
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      operation.operationId,
      {
        operationId: operation.operationId,
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        bodyExample: operation.requestBody?.content['application/json']?.example,
      },
    ]),
  )
}
