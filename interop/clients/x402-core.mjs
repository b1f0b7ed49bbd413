import { decodePaymentRequiredHeader, decodePaymentResponseHeader, encodePaymentSignatureHeader } from '@x402/core/http'
import { accessUrl, expectPaid, payingClient } from './x402-client.mjs'

export async function run(service) {
  const client = await payingClient(service)
  const quote = decodePaymentRequiredHeader((await fetch(accessUrl(service))).headers.get('payment-required'))
  const signed = encodePaymentSignatureHeader(await client.createPaymentPayload(quote))
  for (;;) {
    const reply = await fetch(accessUrl(service), { headers: { 'payment-signature': signed } })
    const wait = reply.headers.get('retry-after')
    if (wait) {
      await new Promise((resolve) => setTimeout(resolve, Number(wait) * 1000))
      continue
    }
    expectPaid(await reply.json())
    const receipt = decodePaymentResponseHeader(reply.headers.get('payment-response'))
    if (!receipt.success || !receipt.transaction) throw new Error('the receipt names no transaction')
    return
  }
}
