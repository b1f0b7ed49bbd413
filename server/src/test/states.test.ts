import { equal, ok } from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { createAccount } from '../accounts/account-store.ts'
import { addKey } from '../accounts/key-store.ts'
import { randomSecret } from '../accounts/publishing-key.ts'
import { type RegistrationState, registrationMoves } from '../accounts/registration-state.ts'
import { addRegistration, findRegistration, moveRegistration } from '../accounts/registration-store.ts'
import { type ChallengeState, challengeMoves } from '../accounts/wallets/challenge-state.ts'
import { addChallenge, findChallenge, moveChallenge, toSignIn } from '../accounts/wallets/challenge-store.ts'
import { type TransferState, transferMoves } from '../accounts/wallets/transfer-state.ts'
import { addTransfer, findTransfer, moveTransfer } from '../accounts/wallets/transfer-store.ts'
import { type ReportState, reportMoves } from '../discussion/report-state.ts'
import { addReport, moveReports } from '../discussion/report-store.ts'
import { type DeliveryState, deliveryMoves } from '../notifications/delivery-state.ts'
import { moveDelivery } from '../notifications/delivery-store.ts'
import {
  addPayment,
  findPayment,
  movePayment,
  type PaymentState,
  paymentMoves,
} from '../payments/x402/payment-store.ts'
import type { Tx } from '../platform/database/database.ts'
import { emptyPost } from '../posts/create-post.ts'
import { type PostState, postMoves } from '../posts/post-state.ts'
import { addPost, movePost } from '../posts/post-store.ts'
import { addAddress, nextAddressId } from '../rails/nano/custody/addresses.ts'
import { addAttachment, findAttachment, moveAttachment } from '../uploads/attachment-store.ts'
import { addOperation, findOperation, moveOperation } from '../uploads/operation-store.ts'
import {
  type AttachmentMove,
  type AttachmentState,
  attachmentMoves,
  type UploadMove,
  type UploadState,
  uploadMoves,
} from '../uploads/upload-state.ts'
import { type Machine, paymentMachines } from './payment-machines.ts'
import { createWorld } from './world.ts'

// Tries every move in every state of every state machine, and checks that the database does what the table of moves
// says.

const now = new Date()

async function accountAndKey(tx: Tx) {
  const account = (await createAccount(tx, { isAnonymous: false, now }))!
  const key = await addKey(tx, { accountId: account.id, label: null, expiresAt: null, secretOf: randomSecret, now })
  return { account_id: account.id, key_id: key.id }
}

const registrations: Machine<RegistrationState> = {
  moves: registrationMoves,
  states: ['started', 'verified', 'key_issued'],
  async make(tx, state) {
    const { id } = (await addRegistration(
      tx,
      { id: randomUUID(), email: 'a@example.com', name: 'A', handle: 'aaaa', client: null, invitation_id: null },
      now,
    ))!
    const { account_id, key_id } = await accountAndKey(tx)
    const rest = state === 'started' ? {} : { account_id, ...(state === 'key_issued' && { key_id }) }
    await tx
      .updateTable('registrations')
      .set({ state, ...rest })
      .where('id', '=', id)
      .execute()
    return id
  },
  async move(tx, id, move) {
    const { account_id, key_id } = await accountAndKey(tx)
    return moveRegistration(
      tx,
      id,
      move as keyof typeof registrationMoves,
      move === 'verify' ? { account_id } : { key_id },
    )
  },
  stateOf: async (tx, id) => (await findRegistration(tx, id))!.state,
}

const posts: Machine<PostState> = {
  moves: postMoves,
  states: ['draft', 'published', 'withdrawn'],
  async make(tx, state) {
    const { account_id } = await accountAndKey(tx)
    const { id } = await addPost(tx, {
      ...emptyPost,
      id: randomUUID(),
      account_id,
      title: 'A',
      slug: 'a',
      status: state,
      created_at: now,
      updated_us: '1',
      published_at: state === 'draft' ? null : now,
      withdrawn_at: state === 'withdrawn' ? now : null,
    })
    return id
  },
  move: async (tx, id, move) => movePost(tx, await postById(tx, id), move as keyof typeof postMoves, now),
  stateOf: async (tx, id) => (await postById(tx, id)).status,
}

const reports: Machine<ReportState> = {
  moves: reportMoves,
  states: ['open', 'dismissed', 'upheld'],
  async make(tx, state) {
    const post_id = await posts.make(tx, 'published')
    const { account_id: reporter_id } = await accountAndKey(tx)
    const id = randomUUID()
    await addReport(tx, { id, reporter_id, post_id, comment_id: null, reason: 'x', created_at: now })
    if (state !== 'open') {
      const decided = { decided_at: now, decided_by: reporter_id, decision: 'dismiss' as const }
      await tx
        .updateTable('reports')
        .set({ state, ...decided })
        .where('id', '=', id)
        .execute()
    }
    return id
  },
  async move(tx, id, move) {
    const { account_id: decidedBy } = await accountAndKey(tx)
    const decision = { decision: 'dismiss' as const, note: null, decidedAt: now, decidedBy }
    return (await moveReports(tx, [id], move as keyof typeof reportMoves, decision))[0]
  },
  stateOf: async (tx, id) =>
    (await tx.selectFrom('reports').select('state').where('id', '=', id).executeTakeFirstOrThrow()).state,
}

const deliveries: Machine<DeliveryState> = {
  moves: deliveryMoves,
  states: ['waiting', 'sent', 'cancelled'],
  async make(tx, state) {
    const { account_id } = await accountAndKey(tx)
    const { id } = await tx
      .insertInto('notification_deliveries')
      .values({
        account_id,
        channel: 'push',
        kind: 'comment_reply',
        origin: 'comment:1',
        title: 'A',
        body: '',
        url: '/',
        state,
        created_at: now,
        finished_at: state === 'waiting' ? null : now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  },
  move: (tx, id, move) => moveDelivery(tx, id, move as keyof typeof deliveryMoves, now),
  async stateOf(tx, id) {
    const found = tx.selectFrom('notification_deliveries').select('state').where('id', '=', id)
    return (await found.executeTakeFirstOrThrow()).state
  },
}

const postById = (tx: Tx, id: string) =>
  tx.selectFrom('posts').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

async function addUpload(tx: Tx, state: UploadState): Promise<{ id: string; account_id: string }> {
  const { account_id } = await accountAndKey(tx)
  const { id } = await addOperation(tx, {
    id: randomUUID(),
    account_id,
    target_kind: 'avatar',
    target_id: account_id,
    target_key: '',
    request_key: 'a',
    fingerprint: Buffer.alloc(0),
    generation: 1,
    size_bytes: 1,
    sha256: 'a'.repeat(64),
    content_type: 'image/png',
    policy_version: '1',
    created_at: now,
    progress_at: now,
    state,
    ...(state !== 'receiving' && { received_at: now }),
    ...(state === 'cancelled' && { ended_by: 'owner', desired: false }),
    media_extension: 'png',
  })
  return { id, account_id }
}

const uploads: Machine<UploadState> = {
  moves: uploadMoves,
  states: ['receiving', 'queued', 'checking', 'cleared', 'rejected', 'failed', 'cancelled'],
  make: async (tx, state) => (await addUpload(tx, state)).id,
  move: (tx, id, move) =>
    moveOperation(tx, id, move as UploadMove, {
      ...(move === 'receive' && { received_at: now }),
      ...((move === 'cancel' || move === 'supersede') && { ended_by: 'owner', desired: false }),
    }),
  stateOf: async (tx, id) => (await findOperation(tx, id))!.state,
}

const attachments: Machine<AttachmentState> = {
  moves: attachmentMoves,
  states: ['pending', 'ready', 'cleanup_queued', 'removed'],
  async make(tx, state) {
    const { id: operation_id, account_id } = await addUpload(tx, 'queued')
    const zip = { id: randomUUID(), operation_id, account_id, post_id: randomUUID(), filename: 'a.zip' }
    const { id } = await addAttachment(tx, { ...zip, description: '', is_legacy: false, created_at: now, state })
    return id
  },
  move: (tx, id, move) => moveAttachment(tx, id, move as AttachmentMove),
  stateOf: async (tx, id) => (await findAttachment(tx, id))!.state,
}

const challenges: Machine<ChallengeState> = {
  moves: challengeMoves,
  states: ['open', 'signed', 'spent'],
  async make(tx, state) {
    const { id } = await addChallenge(tx, { kind: 'nano', address: 'a', service: 'b', use: toSignIn }, now)
    await tx.updateTable('wallet_challenges').set({ state }).where('id', '=', id).execute()
    return id
  },
  move: (tx, id, move) => moveChallenge(tx, id, move as keyof typeof challengeMoves, now),
  stateOf: async (tx, id) => (await findChallenge(tx, id))!.state,
}

const transfers: Machine<TransferState> = {
  moves: transferMoves,
  states: ['pending', 'received', 'claimed'],
  async make(tx, state) {
    const address_id = await nextAddressId(tx)
    const times = { created_at: now, expires_at: new Date(now.getTime() + 1000) }
    await addAddress(tx, {
      id: address_id,
      derivation: null,
      address: `address ${address_id}`,
      purpose: 'transfer',
      least_raw: '1',
      ...times,
      next_check_at: now,
    })
    const id = randomUUID()
    const transfer = { id, request_hash: Buffer.from(id), purpose: 'sign_in' as const, account_id: null, address_id }
    await addTransfer(tx, { ...transfer, amount_raw: address_id, ...times })
    await tx
      .updateTable('wallet_transfers')
      .set({ state, ...(state !== 'pending' && { sender: 'a' }) })
      .where('id', '=', id)
      .execute()
    return id
  },
  move: (tx, id, move) =>
    moveTransfer(tx, id, move as keyof typeof transferMoves, { now, ...(move === 'receive' && { sender: 'a' }) }),
  stateOf: async (tx, id) => (await findTransfer(tx, id))!.state,
}

const x402Payments: Machine<PaymentState> = {
  moves: paymentMoves,
  states: ['settling', 'settled', 'failed'],
  async make(tx, state) {
    const { account_id: payee_id } = await accountAndKey(tx)
    const post = await addPost(tx, {
      ...emptyPost,
      id: randomUUID(),
      account_id: payee_id,
      slug: 'a',
      title: 'A',
      created_at: now,
      updated_us: '1',
    })
    const { id } = (await addPayment(tx, {
      id: randomUUID(),
      purpose: 'access',
      post_id: post.id,
      comment_id: null,
      payee_id,
      network: 'eip155:8453',
      asset: '0x',
      payer: '0x1',
      nonce: randomUUID(),
      previous: null,
      amount: '1',
      pay_to: '0x2',
      proof: {},
      identifier: null,
      offer_hash: randomBytes(32),
      valid_before: '1',
      seen_at_block: null,
      checkout_id: null,
      account_id: null,
      client: null,
      order_id: null,
      created_at: now,
    }))!
    if (state === 'settled') await movePayment(tx, id, 'settle', settled)
    if (state === 'failed') await movePayment(tx, id, 'fail', { failure: 'x' })
    return id
  },
  move: (tx, id, move) =>
    movePayment(tx, id, move as keyof typeof paymentMoves, move === 'settle' ? settled : { failure: 'x' }),
  stateOf: async (tx, id) => (await findPayment(tx, id))!.state,
}
const settled = { settled_at: now, transaction: '0x' }

const machines: Record<string, Machine<string>> = {
  uploads: uploads as Machine<string>,
  attachments: attachments as Machine<string>,
  registrations: registrations as Machine<string>,
  challenges: challenges as Machine<string>,
  transfers: transfers as Machine<string>,
  posts: posts as Machine<string>,
  reports: reports as Machine<string>,
  deliveries: deliveries as Machine<string>,
  'x402 payments': x402Payments as Machine<string>,
  ...paymentMachines(async (tx) => {
    const postId = await posts.make(tx, 'published')
    const { account_id: payerId } = await accountAndKey(tx)
    return { postId, payerId, payeeId: (await postById(tx, postId)).account_id }
  }),
}

for (const [name, machine] of Object.entries(machines)) {
  test(`${name}: every state with every move`, async (t) => {
    const { services } = await createWorld(t)
    for (const state of machine.states) {
      for (const [move, { from, to }] of Object.entries(machine.moves)) {
        await services.db.transaction().execute(async (tx) => {
          const id = await machine.make(tx, state)
          const moved = await machine.move(tx, id, move)
          const allowed = (from as readonly string[]).includes(state)
          ok(allowed === (moved !== undefined), `${move} from ${state}`)
          equal(await machine.stateOf(tx, id), allowed ? to : state, `${move} from ${state}`)
        })
      }
    }
  })
}
