import { getPublicPost } from '@pennypost/contract/discovery'
import { parseAmount } from '@pennypost/contract/money'
import { getTip, type Tip, tipComment, tipPost } from '@pennypost/contract/purchases'
import { callApi } from '../call-api.ts'
import { Name } from '../components/person-link.tsx'
import { h } from '../dom.ts'
import { button, field, fieldText, form } from '../form.ts'
import { randomUuid } from '../random-uuid.ts'
import { showToast } from '../show-toast.ts'
import { Dom, toElement } from '../ui/dom-bridge.tsx'
import { CloseButton, openDialog } from '../ui/open-dialog.tsx'
import { showNanoPayment } from './show-nano-payment.ts'

interface Tipped {
  readonly postId: string
  /** A comment on that post, and its author's name. */
  readonly comment?: { readonly id: string; readonly name: string }
}

const defaultAmounts = [0.1, 0.5, 1]

/** Tips the author of a post or of a comment with Nano, with an optional message. */
export async function openTipDialog(tipped: Tipped): Promise<void> {
  const { comment, postId } = tipped
  const { author, tipping } = await callApi(getPublicPost, { params: { postId } })
  const name = comment?.name ?? author.name
  const amounts = comment ? defaultAmounts : (tipping?.amounts ?? defaultAmounts)
  const place = h('div', {})
  const closing = toElement(<CloseButton />) as HTMLFormElement
  const choose = () => {
    closing.hidden = true
    const chooser = tipForm(amounts, async (request) => {
      await send(tipped, request, place, choose)
      closing.hidden = false
    })
    chooser.lastElementChild!.prepend(button('Not now', () => dialog.close(), 'quiet-button'))
    place.replaceChildren(chooser)
  }
  choose()
  const dialog = openDialog(
    { 'aria-labelledby': 'tip-title', class: 'tip' },
    <>
      <h2 id="tip-title">
        Tip <Name of={name} />
      </h2>
      <Dom node={place} />
      <Dom node={closing} />
    </>,
  )
}

interface TipRequest {
  readonly amountRaw: string
  readonly message: string | null
}

function tipForm(amounts: readonly number[], send: (request: TipRequest) => Promise<void>): HTMLFormElement {
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
      const raw = parseAmount('XNO', fieldText(fields, 'amountRaw'))
      return send({ amountRaw: String(raw ?? ''), message: fieldText(fields, 'message') || null })
    },
  )
}

async function send(tipped: Tipped, body: TipRequest, place: HTMLElement, again: () => void): Promise<void> {
  const idempotencyKey = randomUuid()
  const { session, statusUrl } = tipped.comment
    ? await callApi(tipComment, { params: { commentId: tipped.comment.id }, idempotencyKey, body })
    : await callApi(tipPost, { params: { postId: tipped.postId }, idempotencyKey, body })
  showNanoPayment<Tip>({
    place,
    order: session,
    statusUrl,
    event: 'tip',
    title: (amount) => `Send ${amount} XNO`,
    read: () => callApi(getTip, { params: { sessionId: session.id } }),
    onPaid: async () => showToast('Thank you. Your tip is here.'),
    requote: async () => again(),
    leave: again,
  })
}
