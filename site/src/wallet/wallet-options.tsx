import { useState } from 'preact/hooks'
import { errorMessage } from '../error-message.ts'
import type { Markup } from '../jsx/markup.ts'
import { showToast } from '../show-toast.ts'
import type { ProofProps } from './proof-handler.ts'

type Proof = (props: ProofProps) => Markup

const load = () => import('./prove-wallet.tsx')

const options: readonly { readonly name: string; readonly hint: string; readonly proof: () => Promise<Proof> }[] = [
  {
    name: 'Browser wallet',
    hint: 'A wallet extension for Base signs a text',
    proof: async () => (await load()).BrowserWalletProof,
  },
  {
    name: 'Nano wallet that signs',
    hint: 'Scan a code, or sign a text by hand',
    proof: async () => (await load()).NanoSignatureProof,
  },
  {
    name: 'Nano payment',
    hint: 'Send a small amount, which comes back',
    proof: async () => (await load()).NanoPaymentProof,
  },
]

/** Buttons for all ways to prove a wallet. The code for them is loaded when one is pressed. */
export function WalletOptions(props: ProofProps) {
  const [chosen, setChosen] = useState<{ readonly name: string; readonly Proof: Proof; readonly attempt: number }>()
  const choose = async (name: string, proof: () => Promise<Proof>) => {
    try {
      const loaded = await proof()
      // Pressing a button again starts again.
      setChosen((before) => ({ name, Proof: loaded, attempt: (before?.attempt ?? 0) + 1 }))
    } catch (error) {
      showToast(errorMessage(error))
    }
  }
  return (
    <div class="card">
      <div class="ways" role="group" aria-label="Wallets">
        {options.map(({ name, hint, proof }) => (
          <button
            type="button"
            class="quiet-button"
            key={name}
            aria-pressed={chosen?.name === name}
            onClick={() => choose(name, proof)}
          >
            {name}
            <span class="hint">{hint}</span>
          </button>
        ))}
      </div>
      <div class="way">{chosen && <chosen.Proof key={chosen.attempt} {...props} />}</div>
    </div>
  )
}
