import type { ReceivedFile } from '@pennypost/contract/body'
import type { KeyCaller } from '@pennypost/contract/credential'
import { type uploadAvatar as avatar, type uploadHeader as header, imageBytes } from '@pennypost/contract/images'
import type { ProfileImageKind } from './operation-store.ts'
import { receiveImage } from './receive-image.ts'
import type { Handler, UploadServices } from './services.ts'

interface ProfileImageCall {
  readonly caller: KeyCaller
  readonly body: { readonly file: ReceivedFile }
  readonly idempotencyKey: string
  readonly ip: string
  readonly origin: string
}

const receive = (services: UploadServices, kind: ProfileImageKind, call: ProfileImageCall) => {
  const { accountId } = call.caller
  return receiveImage(services, {
    target: { accountId, kind, id: accountId, key: '' },
    requestKey: call.idempotencyKey,
    file: call.body.file,
    maxBytes: imageBytes,
    ip: call.ip,
    origin: call.origin,
  })
}

export const uploadAvatar: Handler<typeof avatar> = (services, call) => receive(services, 'avatar', call)
export const uploadHeader: Handler<typeof header> = (services, call) => receive(services, 'header', call)
