/** The account to export, the origin for its links, and when the export was started. */
export interface ExportRequest {
  readonly accountId: string
  readonly origin: string
  readonly startedAt: Date
}

/** A file of the archive: text that we write, or stored bytes. */
export type ExportedFile =
  | { readonly name: string; readonly content: AsyncIterable<string> | string; readonly modifiedAt?: Date }
  | StoredFile

/** Stored bytes under a name in the archive. */
export interface StoredFile {
  readonly name: string
  readonly key: string
  readonly modifiedAt: Date
}
