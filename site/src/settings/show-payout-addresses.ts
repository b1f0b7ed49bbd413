import {
  clearBasePayoutAddress,
  clearPayoutAddress,
  getBasePayoutAddress,
  getPayoutAddress,
  saveBasePayoutAddress,
  savePayoutAddress,
} from '@pennypost/contract/profiles'
import { callApi } from '../call-api.ts'
import { h } from '../dom.ts'
import { button, field, fieldText, form } from '../form.ts'
import { formatDate } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { showView } from '../show-view.ts'

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

/** The addresses to which sales and tips are paid. */
export async function showPayoutAddresses(): Promise<void> {
  const [ofNano, ofBase] = await Promise.all([callApi(getPayoutAddress, {}), callApi(getBasePayoutAddress, {})])
  showView(
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
    await callApi(save, { body: { payoutAddress: fieldText(fields, 'payoutAddress') } })
    showToast(`Your ${title} address is saved.`)
    await showPayoutAddresses()
  })
  element.classList.add('box')
  if (payoutAddress !== null)
    element.lastElementChild!.append(
      button('Forget it', async () => {
        await callApi(clear, {})
        await showPayoutAddresses()
      }),
      h('span', { class: 'quiet' }, `Saved ${formatDate(addressUpdatedAt!)}`),
    )
  return element
}
