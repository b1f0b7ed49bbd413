import { categories, type listCategories as declared } from '@pennypost/contract/categories'
import type { Handler } from './services.ts'

export const listCategories: Handler<typeof declared> = async () => ({
  status: 200,
  body: { categories: categories.map(([id, label]) => ({ id, label })) },
})
