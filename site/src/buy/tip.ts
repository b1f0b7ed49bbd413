import { parseAmount } from '@pennypost/contract/amount'
import { getPublicPost } from '@pennypost/contract/discovery'
import { getTip, type TipSession, tipComment, tipPost } from '@pennypost/contract/purchases'
import { ask, newKey } from '../api.ts'
import { h, say } from '../dom.ts'
import { button, field, form, text } from '../form.ts'
import { nanoPayment } from './nano-payment.ts'

interface Tipped {
  readonly postId: string
  /** A Comment of that Post, and whose it is. */
  readonly comment?: { readonly id: string; readonly name: string }
}

const usual = [0.1, 0.5, 1]

/** Sends somebody a little Nano, with a few words if one likes. */
export async function tip(tipped: Tipped): Promise<void> {
  const { comment, postId } = tipped
  const { author, tipping } = await ask(getPublicPost, { params: { postId } })
  const name = comment?.name ?? author.name
  const amounts = comment ? usual : (tipping?.amounts ?? usual)
  const place = h('div', {})
  const closing = h('form', { method: 'dialog', class: 'row' }, h('button', { class: 'quiet-button' }, 'Close'))
  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'tip-title', class: 'tip' },
    h('h2', { id: 'tip-title' }, 'Tip ', h('bdi', {}, name)),
    place,
    closing,
  )
  dialog.addEventListener('close', () => dialog.remove())
  const choose = () => {
    closing.hidden = true
    const asking = tipForm(amounts, async (wish) => {
      await send(tipped, wish, place, choose)
      closing.hidden = false
    })
    asking.lastElementChild!.prepend(button('Not now', () => dialog.close(), 'quiet-button'))
    place.replaceChildren(asking)
  }
  choose()
  document.body.append(dialog)
  dialog.showModal()
}

interface TipWish {
  readonly amountRaw: string
  readonly message: string | null
}

function tipForm(amounts: readonly number[], send: (wish: TipWish) => Promise<void>): HTMLFormElement {
  const amount = h('input', {
    name: 'amountRaw',
    inputmode: 'decimal',
    required: true,
    value: amounts[0],
    autocomplete: 'off',
    pattern: '[0-9]+([.][0-9]+)?',
    title: 'An amount such as 0.25',
  })
  const choices = amounts.map((each) => {
    const press = () => {
      amount.value = String(each)
      mark()
    }
    return h('button', { type: 'button', class: 'quiet-button small', value: each, onclick: press }, `${each} XNO`)
  })
  const mark = () => {
    for (const choice of choices) choice.setAttribute('aria-pressed', String(choice.value === amount.value))
  }
  amount.addEventListener('input', mark)
  mark()
  return form(
    [
      h('div', { class: 'row choices', role: 'group', 'aria-label': 'Amounts' }, choices),
      field('Amount in XNO', amount),
      field(
        'A few words (everybody can read them)',
        h('input', { name: 'message', maxlength: 280, autocomplete: 'off' }),
      ),
    ],
    'Go on',
    (fields) => {
      const raw = parseAmount('XNO', text(fields, 'amountRaw'))
      return send({ amountRaw: String(raw ?? ''), message: text(fields, 'message') || null })
    },
  )
}

async function send(tipped: Tipped, body: TipWish, place: HTMLElement, again: () => void): Promise<void> {
  const idempotencyKey = newKey()
  const { session, statusUrl } = tipped.comment
    ? await ask(tipComment, { params: { commentId: tipped.comment.id }, idempotencyKey, body })
    : await ask(tipPost, { params: { postId: tipped.postId }, idempotencyKey, body })
  nanoPayment<TipSession>({
    place,
    session,
    statusUrl,
    event: 'tip',
    title: (amount) => `Send ${amount} XNO`,
    read: () => ask(getTip, { params: { sessionId: session.id } }),
    granted: async () => say('Thank you. Your tip is here.'),
    again: async () => again(),
    leave: again,
  })
}
