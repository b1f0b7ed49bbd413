import { improveSamples } from '../docs/improve-samples.tsx'
import { addDocsSearch } from '../docs/search-docs.tsx'

// A guide is complete without a script. With one, the documentation can be searched, and samples can be copied.

addDocsSearch()
improveSamples()
