import { mkdirSync, writeFileSync } from 'node:fs'
import { adminContract, contract, publicContract } from '@pennypost/contract/contract'
import { writeOpenApi } from './platform/operations/get-openapi.ts'
import { renderReference } from './platform/operations/render-reference.ts'
import { type WrittenDocs, writtenDocsFile, writtenDocsFolder } from './platform/operations/written-docs.ts'
import { docsEntries } from './site/guides/docs-entries.ts'
import { readGuideFiles } from './site/guides/guide-files.ts'
import { renderGuides } from './site/guides/render-guide.ts'

// Part of the build: writes the contents of `/docs` and `/openapi.json`.

const guides = renderGuides(readGuideFiles())
const written: Record<WrittenDocs, string> = {
  reference: renderReference(contract, guides),
  openApi: writeOpenApi(publicContract),
  adminOpenApi: writeOpenApi(adminContract),
  guides: JSON.stringify(guides),
  entries: JSON.stringify(docsEntries(contract, guides)),
}

mkdirSync(writtenDocsFolder, { recursive: true })
for (const [name, text] of Object.entries(written) as [WrittenDocs, string][])
  writeFileSync(writtenDocsFile(name), text)
