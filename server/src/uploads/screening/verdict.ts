export type ImageFormat = 'png' | 'jpeg' | 'webp' | 'gif'

export interface ClearedImage {
  readonly format: ImageFormat
  readonly width: number
  readonly height: number
  /** Where the re-encoded image is: the `outputPath` of the input. */
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
}

export interface ClearedZip {
  /** The paths of its files in the order of the archive's directory, without directories and macOS system files. */
  readonly contents: readonly string[]
  /** `complete` if every member was hashed as a picture or is plain text. */
  readonly csamCoverage: 'complete' | 'partial'
}

/** The file breaks a rule. `reason` is a code that clients may see. */
export interface Rejected {
  readonly kind: 'rejected'
  readonly reason: RejectionReason
}
/**
 * The file could not be checked. `crashed` means that the decoder exited, `interrupted` that it was killed or
 * hardly got a processor, which says little about the file. `reason` is a code that clients may see.
 */
export interface Failed {
  readonly kind: 'failed'
  readonly reason: 'time-limit' | 'memory-limit' | 'crashed' | 'interrupted'
}
/** A screener recognized the file. Clients may see `reason`; `match` (what it matched) is for administrators only. */
export interface Held {
  readonly kind: 'held'
  readonly reason: 'known-picture' | 'malware' | 'scanner'
  readonly match: string
}
/** A configured screener did not respond. Nothing is cleared, and the check is repeated later. */
export interface Unavailable {
  readonly kind: 'unavailable'
  readonly screener: ScreenerName
}

/** The file has more pixels than the light lane decodes. It must be screened again in the heavy lane. */
export interface Large {
  readonly kind: 'large'
  readonly pixels: number
}

/** A drawing is at `outputPath`. */
export interface Drawn {
  readonly kind: 'drawn'
}

export type ScreenerName = 'decoder' | 'picture-list' | 'clamav' | 'scanner'

type NotCleared = Rejected | Failed | Held | Unavailable | Large
export type ImageVerdict = { readonly kind: 'cleared'; readonly image: ClearedImage } | NotCleared
export type ZipVerdict = { readonly kind: 'cleared'; readonly zip: ClearedZip } | NotCleared

export type DrawingVerdict = Drawn | NotCleared
export type DecoderVerdict = ImageVerdict | ZipVerdict | DrawingVerdict

export type RejectionReason = ImageRejection | ZipRejection | 'file-too-large'

type ImageRejection =
  | 'not-an-image'
  | 'type-not-allowed'
  | 'mime-mismatch'
  | 'corrupt'
  | 'pixel-limit'
  | 'total-pixel-limit'
  | 'representation-limit'
  | 'frame-out-of-canvas'
  | 'metadata-limit'
  | 'scan-limit'

type ZipRejection =
  | 'not-zip'
  | 'truncated'
  | 'no-files'
  | 'prepended-data'
  | 'trailing-data'
  | 'hidden-data'
  | 'overlap'
  | 'ambiguous-eocd'
  | 'eocd-mismatch'
  | 'header-mismatch'
  | 'multi-disk'
  | 'zip64'
  | 'encrypted'
  | 'method'
  | 'stored-with-descriptor'
  | 'symlink'
  | 'special-file'
  | 'unsafe-path'
  | 'duplicate-name'
  | 'too-many-files'
  | 'member-too-large'
  | 'total-too-large'
  | 'ratio'
  | 'size-mismatch'
  | 'corrupt-data'

/** Thrown while reading a file that breaks one of the rules. */
export class BrokenRule extends Error {
  override name = 'BrokenRule'
  constructor(readonly reason: RejectionReason) {
    super(reason)
  }
}

export const broken = (reason: RejectionReason): never => {
  throw new BrokenRule(reason)
}

/** Thrown when decoding ran out of memory. The file may be fine. */
export class OutOfMemory extends Error {
  override name = 'OutOfMemory'
}
