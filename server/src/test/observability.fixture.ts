import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// The files of deploy/observability for an operator's Prometheus and Grafana.

export const repository = fileURLToPath(new URL('../../..', import.meta.url))
const folder = join(repository, 'deploy', 'observability')

export const filesIn = async (name: string): Promise<string[]> =>
  (await readdir(join(folder, name))).map((file) => join(folder, name, file))
export const textsOf = async (name: string): Promise<string[]> =>
  Promise.all((await filesIn(name)).map((file) => readFile(file, 'utf8')))

interface Dashboard {
  readonly panels: {
    readonly id: number
    readonly type: string
    readonly title: string
    readonly targets?: { readonly expr: string; readonly datasource: { readonly uid: string } }[]
  }[]
  readonly templating: { readonly list: { readonly name: string }[] }
}

export const readDashboard = async (): Promise<Dashboard> =>
  JSON.parse(await readFile(join(folder, 'grafana', 'pennypost.json'), 'utf8'))
export const expressionsIn = ({ panels }: Dashboard): string[] =>
  panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
