import { wrapAxiosWithPayment } from '@x402/axios'
import axios from 'axios'
import { accessUrl, expectPaid, payingClient } from './x402-client.mjs'

export async function run(service) {
  const { data } = await wrapAxiosWithPayment(axios.create(), await payingClient(service)).get(accessUrl(service))
  expectPaid(data)
}
