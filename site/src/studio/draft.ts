import { getPost, type Post, updatePost } from '@pennypost/contract/posts'
import { RefusedError } from '@pennypost/sdk/client'
import { callApi } from '../call-api.ts'

export type Change = Partial<
  Pick<
    Post,
    | 'title'
    | 'description'
    | 'freeContentMarkdown'
    | 'paidContentMarkdown'
    | 'enablePaywall'
    | 'priceCurrency'
    | 'priceAtomic'
    | 'category'
    | 'language'
    | 'creationMethod'
    | 'creationDetails'
    | 'creationAttested'
    | 'commentsEnabled'
    | 'agentCommentsEnabled'
    | 'searchPaidContent'
  > & { readonly tags: string[] }
>

/** The title of a draft that has none yet: a post cannot be without. */
export const untitled = 'Untitled'

/** A post in the editor, with its unsaved changes. Saves run one at a time. */
export class Draft {
  post: Post
  #pending: Change = {}
  #saving: Promise<void> | undefined
  #invalid = new Map<string, string>()
  readonly #changed: () => void

  constructor(post: Post, changed: () => void) {
    this.post = post
    this.#changed = changed
  }

  get isSaved(): boolean {
    return Object.keys(this.#pending).length === 0 && this.#saving === undefined && this.problem === undefined
  }

  /** Why something that was typed cannot be saved. */
  get problem(): string | undefined {
    return this.#invalid.values().next().value
  }

  /** Says that a field has something that cannot be saved; undefined if it is fine again. */
  mark(field: string, problem: string | undefined): void {
    if (problem === undefined) this.#invalid.delete(field)
    else this.#invalid.set(field, problem)
    this.#changed()
  }

  change(change: Change): void {
    this.#pending = { ...this.#pending, ...change }
    this.#changed()
  }

  /** Saves until nothing is unsaved. If a save is refused, its changes are kept and sent with the next ones. */
  async save(): Promise<void> {
    while (this.#saving) await this.#saving
    if (Object.keys(this.#pending).length === 0) return
    this.#saving = this.#send().finally(() => {
      this.#saving = undefined
      this.#changed()
    })
    this.#changed()
    await this.#saving
    await this.save()
  }

  async #send(): Promise<void> {
    const change = this.#pending
    this.#pending = {}
    try {
      this.post = await this.#patch(change)
    } catch (error) {
      this.#pending = { ...change, ...this.#pending }
      throw error
    }
  }

  /** A finished upload makes a new revision too. If nothing else changed meanwhile, retry on top of it. */
  async #patch(change: Change): Promise<Post> {
    try {
      return await this.#patchAt(this.post.updatedAt, change)
    } catch (error) {
      if (!(error instanceof RefusedError) || error.code !== 'revision-conflict') throw error
      const now = await this.read()
      if (!hasSameText(now, this.post)) throw error
      this.post = now
      return this.#patchAt(now.updatedAt, change)
    }
  }

  #patchAt(revision: string, body: Change): Promise<Post> {
    return callApi(updatePost, { params: { postId: this.post.id }, headers: { 'x-post-revision': revision }, body })
  }

  read(): Promise<Post> {
    return callApi(getPost, { params: { postId: this.post.id } })
  }

  /** Reads the post again after something other than a save changed it, such as a finished upload. */
  async reread(): Promise<void> {
    this.post = await this.read()
    this.#changed()
  }
}

const editedFields = ['title', 'description', 'freeContentMarkdown', 'paidContentMarkdown', 'status'] as const
const hasSameText = (one: Post, other: Post): boolean => editedFields.every((name) => one[name] === other[name])
