import {
  clearBasePayoutAddress,
  clearPayoutAddress,
  getBasePayoutAddress,
  getPayoutAddress,
  saveBasePayoutAddress,
  savePayoutAddress,
} from '@pennypost/contract/profiles'
import { ask } from '../api.ts'
import { h, say, show } from '../dom.ts'
import { button, field, form, text } from '../form.ts'
import { dayWords } from '../words.ts'

interface Saved {
  readonly payoutAddress: string | null
  readonly addressUpdatedAt: string | null
}

interface Rail {
  readonly title: string
  readonly hint: string
  readonly placeholder: string
  readonly save: typeof savePayoutAddress | typeof saveBasePayoutAddress
  readonly clear: typeof clearPayoutAddress | typeof clearBasePayoutAddress
}

const nano: Rail = {
  title: 'Nano',
  hint: 'Sales and tips in XNO are sent here, without a fee of the network.',
  placeholder: 'nano_…',
  save: savePayoutAddress,
  clear: clearPayoutAddress,
}
const base: Rail = {
  title: 'USDC on Base',
  hint: 'Sales in USDC go straight here; the service never holds them.',
  placeholder: '0x…',
  save: saveBasePayoutAddress,
  clear: clearBasePayoutAddress,
}

/** Where one is paid. */
export async function showReceiving(): Promise<void> {
  const [ofNano, ofBase] = await Promise.all([ask(getPayoutAddress, {}), ask(getBasePayoutAddress, {})])
  show(
    h('p', { class: 'lead' }, 'One address is enough to publish. A change counts for what is sold from then on.'),
    h('div', { class: 'card' }, section(nano, ofNano), section(base, ofBase)),
  )
}

function section(
  { title, hint, placeholder, save, clear }: Rail,
  { payoutAddress, addressUpdatedAt }: Saved,
): HTMLElement {
  const input = h('input', {
    name: 'payoutAddress',
    required: true,
    maxlength: 100,
    placeholder,
    value: payoutAddress ?? '',
    autocapitalize: 'none',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const element = form([h('h2', {}, title), field(`${title} address`, input, hint)], 'Save', async (fields) => {
    await ask(save, { body: { payoutAddress: text(fields, 'payoutAddress') } })
    say(`Your ${title} address is saved.`)
    await showReceiving()
  })
  element.classList.add('box')
  if (payoutAddress !== null)
    element.lastElementChild!.append(
      button('Forget it', async () => {
        await ask(clear, {})
        await showReceiving()
      }),
      h('span', { class: 'quiet' }, `Saved ${dayWords(addressUpdatedAt!)}`),
    )
  return element
}
