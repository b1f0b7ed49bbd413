import {
  clearBasePayoutAddress,
  clearPayoutAddress,
  getBasePayoutAddress,
  getPayoutAddress,
  saveBasePayoutAddress,
  savePayoutAddress,
} from '@pennypost/contract/profiles'
import { useState } from 'preact/hooks'
import { callApi } from '../call-api.ts'
import { formatDate } from '../format.ts'
import { showToast } from '../show-toast.ts'
import { Button } from '../ui/button.tsx'
import { Field, Form, fieldText } from '../ui/form.tsx'

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

const rails: Readonly<Record<'nano' | 'base', Rail>> = {
  nano: {
    title: 'Nano',
    hint: 'Sales and tips in XNO are sent here, without a network fee.',
    placeholder: 'nano_…',
    save: savePayoutAddress,
    clear: clearPayoutAddress,
  },
  base: {
    title: 'USDC on Base',
    hint: 'Sales in USDC go straight here; the service never holds them.',
    placeholder: '0x…',
    save: saveBasePayoutAddress,
    clear: clearBasePayoutAddress,
  },
}

export async function loadPayoutAddresses() {
  const [nano, base] = await Promise.all([callApi(getPayoutAddress, {}), callApi(getBasePayoutAddress, {})])
  return { nano, base }
}

/** The addresses to which sales and tips are paid. */
export function PayoutAddresses({ first }: { readonly first: Awaited<ReturnType<typeof loadPayoutAddresses>> }) {
  const [saved, setSaved] = useState(first)
  const reload = async () => setSaved(await loadPayoutAddresses())
  return (
    <>
      <p class="lead">One address is enough to publish. A change applies to future sales.</p>
      <div class="card">
        <RailForm rail={rails.nano} saved={saved.nano} onChange={reload} />
        <RailForm rail={rails.base} saved={saved.base} onChange={reload} />
      </div>
    </>
  )
}

interface RailFormProps {
  readonly rail: Rail
  readonly saved: Saved
  readonly onChange: () => Promise<void>
}

function RailForm({ rail, saved: { payoutAddress, addressUpdatedAt }, onChange }: RailFormProps) {
  const { title, hint, placeholder } = rail
  const [cleared, setCleared] = useState(0)
  const save = async (fields: FormData) => {
    await callApi(rail.save, { body: { payoutAddress: fieldText(fields, 'payoutAddress') } })
    showToast(`Your ${title} address is saved.`)
    await onChange()
  }
  const clear = async () => {
    await callApi(rail.clear, {})
    setCleared(cleared + 1)
    await onChange()
  }
  const actions = payoutAddress !== null && (
    <>
      <span class="quiet">Saved {formatDate(addressUpdatedAt!)}</span>
      <Button action={clear}>Remove</Button>
    </>
  )
  return (
    // A new form has an empty field.
    <Form key={cleared} isBox submit="Save" send={save} actions={actions}>
      {(errors) => (
        <>
          <h2>{title}</h2>
          <Field label={`${title} address`} hint={hint} error={errors.payoutAddress}>
            <input
              name="payoutAddress"
              required
              maxlength={100}
              placeholder={placeholder}
              defaultValue={(cleared === 0 && payoutAddress) || ''}
              autocapitalize="none"
              autocomplete="off"
              spellcheck={false}
            />
          </Field>
        </>
      )}
    </Form>
  )
}
