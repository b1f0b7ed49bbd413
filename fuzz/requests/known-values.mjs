/** Fields with other names that mean the same thing. Names are compared without case and underscores. */
const meanings = {
  creatorid: 'accountid',
  userid: 'accountid',
  profileid: 'accountid',
  followerid: 'accountid',
  authorid: 'accountid',
  pinnedpostid: 'postid',
  parentcommentid: 'commentid',
  replytargetcommentid: 'commentid',
  threadrootid: 'commentid',
  updatedat: 'revision',
  addressupdatedat: 'revision',
  xpostrevision: 'revision',
  ifmatch: 'revision',
  requestkey: 'idempotencykey',
  destination: 'payoutaddress',
  account: 'payoutaddress',
  ephemeraladdress: 'payoutaddress',
  operation: 'operationid',
  xpartcapability: 'capability',
  statussecret: 'checkoutcredential',
}

/** What `id` is in the replies of an operation. */
const idsOf = [
  [/^(create|list|get|update|publish)(Public)?Posts?$|^(publishPost|withdrawPost|listRelatedPosts)$/, 'postid'],
  [/Comments?$/, 'commentid'],
  [/^(create|list|get)Purchases?$/, 'purchaseid'],
  [/^tip|^getTip$/, 'sessionid'],
  [/Sessions?$/, 'sessionid'],
  [/Checkout$/, 'checkoutid'],
  [/Notifications?$/, 'notificationid'],
  [/^(list|decide|report).*(Report|Post|Comment)s?$/, 'reportid'],
  [/^listTags$/, 'tagid'],
  [/Holds?$/, 'holdid'],
  [/Invitations?$/, 'invitationid'],
  [/DeadJobs?$/, 'jobid'],
  [/Attachments?$/, 'assetid'],
  [/^upload(PostImage|Avatar|Header)$|UploadOperations?$/, 'operationid'],
  [/Obligations?$/, 'obligationid'],
  [/^(listAccounts|getMe|getProfile)$/, 'accountid'],
  [/^(getFollow|updateFollow)$/, 'followid'],
]
const collected = new Set(idsOf.map(([, name]) => name))
for (const name of ['keyid', 'challengeid', 'transferid', 'continuationid', 'registrationid', 'tagid', 'cursor'])
  collected.add(name)
for (const name of ['nextcursor', 'capability', 'pollsecret', 'checkoutcredential', 'loginsecret', 'refreshtoken'])
  collected.add(name)
for (const name of ['revision', 'code', 'handle', 'followid', 'gift', 'accepts', 'file', 'quote']) collected.add(name)

const maxOfOneKind = 60
const plain = (name) => {
  const short = name.toLowerCase().replaceAll(/[_-]/g, '')
  return meanings[short] ?? short
}

/**
 * Values that the service knows, by the name of the field: ids of posts, cursors, codes. The first ones come from the
 * seeds and stay; later ones are collected from replies and replace each other.
 */
export class KnownValues {
  #kept = new Map()
  #collected = new Map()
  #revisions = new Map()
  #scenes = []

  keep(name, ...values) {
    const list = this.#kept.get(plain(name)) ?? []
    list.push(...values)
    this.#kept.set(plain(name), list)
  }

  forgetKept() {
    this.#kept.clear()
    this.#scenes = []
  }

  /** Values that belong together, with the credentials of who may use them: a draft, its files and its author. */
  keepScene(tokens, values) {
    const named = Object.entries(values).map(([name, value]) => [plain(name), value])
    this.#scenes.push({ tokens, values: Object.fromEntries(named) })
    for (const [name, value] of named) this.keep(name, value)
  }

  /** A scene for a request with these path parameters. */
  sceneFor(names, random) {
    const fitting = this.#scenes.filter(({ values }) => names.every((name) => plain(name) in values))
    return fitting.length > 0 ? random.pick(fitting) : undefined
  }

  valueIn(scene, name) {
    return scene?.values[plain(name)]
  }

  of(name, random) {
    const [kept = [], found = []] = [this.#kept.get(plain(name)), this.#collected.get(plain(name))]
    if (kept.length === 0 && found.length === 0) return undefined
    if (found.length === 0 || (kept.length > 0 && random.chance(0.6))) return random.pick(kept)
    return random.pick(found)
  }

  /** The last revision that was seen of a post. */
  revisionOf(id) {
    return this.#revisions.get(id)
  }

  /** Collects ids, cursors and similar values from a successful reply. */
  collect(operationId, json, random) {
    const idName = idsOf.find(([pattern]) => pattern.test(operationId))?.[1]
    const visit = (node, depth) => {
      if (typeof node !== 'object' || node === null || depth > 4) return
      if (typeof node.id === 'string' && typeof node.updatedAt === 'string')
        this.#revisions.set(node.id, node.updatedAt)
      if (this.#revisions.size > 1000) this.#revisions.clear()
      for (const [field, value] of Object.entries(node).slice(0, 60)) {
        const name = field === 'id' && idName ? idName : plain(field)
        if (name === 'accepts' && Array.isArray(value)) for (const accepted of value) this.#add(name, accepted, random)
        else if (typeof value === 'string' && value.length < 600 && collected.has(name))
          this.#add(name === 'nextcursor' ? 'cursor' : name, value, random)
        else visit(value, depth + 1)
      }
    }
    visit(json, 0)
  }

  #add(name, value, random) {
    const list = this.#collected.get(name) ?? []
    this.#collected.set(name, list)
    if (list.length < maxOfOneKind) list.push(value)
    else list[random.int(0, maxOfOneKind - 1)] = value
  }
}
