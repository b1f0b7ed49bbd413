import { accessSettings } from './access/settings.ts'
import { accountSettings } from './accounts/settings.ts'
import { discussionSettings } from './discussion/settings.ts'
import { importSettings } from './imports/settings.ts'
import { mcpSettings } from './mcp/settings.ts'
import { notificationSettings } from './notifications/settings.ts'
import { paymentSettings } from './payments/settings.ts'
import { personalDataSettings } from './personal-data/settings.ts'
import { backupSettings } from './platform/backup/settings.ts'
import { fileSettings } from './platform/files/settings.ts'
import { httpSettings } from './platform/http/settings.ts'
import type { Environment, SettingGroup } from './platform/setting.ts'
import { withSettingFiles } from './platform/setting-files.ts'
import { platformSettings } from './platform/settings.ts'
import { tracingSettings } from './platform/tracing/settings.ts'
import { postSettings } from './posts/settings.ts'
import { baseSettings } from './rails/base/settings.ts'
import { nanoSettings } from './rails/nano/settings.ts'
import { rateSettings } from './rails/settings.ts'
import { signerSettings } from './rails/signer/settings.ts'
import { siteSettings } from './site/settings.ts'
import { subscriptionSettings } from './subscriptions/settings.ts'
import { uploadSettings } from './uploads/settings.ts'
import { webhookSettings } from './webhooks/settings.ts'

/** Reads settings whose `_FILE` is set from that file. */
export const readSettingFiles = (environment: Environment): Environment =>
  withSettingFiles(environment, Object.keys(allSettings))

/** Reads the settings of every room. Throws a StartError of one line that names the wrong setting. */
export const readConfig = (environment: Environment) => ({
  ...platformSettings.read(environment),
  ...httpSettings.read(environment),
  ...tracingSettings.read(environment),
  ...fileSettings.read(environment),
  ...backupSettings.read(environment),
  ...rateSettings.read(environment),
  ...nanoSettings.read(environment),
  ...baseSettings.read(environment),
  ...signerSettings.read(environment),
  ...notificationSettings.read(environment),
  ...webhookSettings.read(environment),
  ...accountSettings.read(environment),
  ...uploadSettings.read(environment),
  ...postSettings.read(environment),
  ...importSettings.read(environment),
  ...paymentSettings.read(environment),
  ...accessSettings.read(environment),
  ...discussionSettings.read(environment),
  ...siteSettings.read(environment),
  ...subscriptionSettings.read(environment),
  ...personalDataSettings.read(environment),
  ...mcpSettings.read(environment),
})

export type Config = ReturnType<typeof readConfig>

/** Every setting by its name, as docs/settings.md lists them. */
export const allSettings = {
  ...platformSettings.declared,
  ...httpSettings.declared,
  ...tracingSettings.declared,
  ...fileSettings.declared,
  ...backupSettings.declared,
  ...rateSettings.declared,
  ...nanoSettings.declared,
  ...baseSettings.declared,
  ...signerSettings.declared,
  ...notificationSettings.declared,
  ...webhookSettings.declared,
  ...accountSettings.declared,
  ...uploadSettings.declared,
  ...postSettings.declared,
  ...importSettings.declared,
  ...paymentSettings.declared,
  ...accessSettings.declared,
  ...discussionSettings.declared,
  ...siteSettings.declared,
  ...subscriptionSettings.declared,
  ...personalDataSettings.declared,
  ...mcpSettings.declared,
}

/** For `pennypost doctor`, which checks all of them instead of stopping at the first that is wrong. */
export const settingGroups: readonly SettingGroup<unknown>[] = [
  platformSettings,
  httpSettings,
  tracingSettings,
  fileSettings,
  backupSettings,
  rateSettings,
  nanoSettings,
  baseSettings,
  signerSettings,
  notificationSettings,
  webhookSettings,
  accountSettings,
  uploadSettings,
  postSettings,
  importSettings,
  paymentSettings,
  accessSettings,
  discussionSettings,
  siteSettings,
  subscriptionSettings,
  personalDataSettings,
  mcpSettings,
]
