import { wrapFetchWithPayment } from '@x402/fetch'
import { accessUrl, expectPaid, payingClient } from './x402-client.mjs'

export async function run(service) {
  const reply = await wrapFetchWithPayment(fetch, await payingClient(service))(accessUrl(service))
  expectPaid(await reply.json())
}
