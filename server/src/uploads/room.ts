import type { uploadOperations } from '@pennypost/contract/upload-operations'
import type { Room } from '../platform/room.ts'
import { associateUpload } from './associate-upload.ts'
import { cancelUpload } from './cancel-upload.ts'
import { cleanUpUpload } from './clean-up-upload.job.ts'
import { completeAttachment } from './complete-attachment.ts'
import { downloadAttachment } from './download-attachment.ts'
import { editAttachment } from './edit-attachment.ts'
import { expireUploads } from './expire-uploads.job.ts'
import { getMedia } from './get-media.ts'
import { getThumbnail } from './get-thumbnail.ts'
import { getUploadOperation } from './get-upload-operation.ts'
import { listAttachments } from './list-attachments.ts'
import { listPublicAttachments } from './list-public-attachments.ts'
import { listUploadOperations } from './list-upload-operations.ts'
import { lookUpAttachment } from './look-up-attachment.ts'
import { notifyAdministrators } from './notify-administrators.job.ts'
import { reconcileUploads } from './reconcile-uploads.job.ts'
import { removeAttachment } from './remove-attachment.ts'
import { reserveAttachment } from './reserve-attachment.ts'
import { screenLargeUpload, screenUpload } from './screen-upload.job.ts'
import type { UploadServices } from './services.ts'
import { storeAttachmentPart } from './store-attachment-part.ts'
import { transportAttachment } from './transport-attachment.ts'
import { uploadAttachment } from './upload-attachment.ts'
import { uploadPostImage } from './upload-post-image.ts'
import { uploadAvatar, uploadHeader } from './upload-profile-image.ts'

export const uploadsRoom: Room<typeof uploadOperations, UploadServices> = {
  handlers: {
    uploadPostImage,
    uploadAvatar,
    uploadHeader,
    listUploadOperations,
    getUploadOperation,
    associateUpload,
    cancelUpload,
    getMedia,
    getThumbnail,
    listAttachments,
    reserveAttachment,
    lookUpAttachment,
    transportAttachment,
    completeAttachment,
    editAttachment,
    removeAttachment,
    downloadAttachment,
    uploadAttachment,
    storeAttachmentPart,
    listPublicAttachments,
  },
  jobs: [screenUpload, screenLargeUpload, cleanUpUpload, expireUploads, reconcileUploads, notifyAdministrators],
}
