import type { Statistics } from '@pennypost/contract/statistics'
import { NumberHeading } from '../components/number-heading.tsx'
import { Strip } from '../components/strip.tsx'

interface ReferrerTableProps {
  readonly referrers: Statistics['referrers']
}

/** The sites that readers came from. */
export function ReferrerTable({ referrers }: ReferrerTableProps) {
  const most = Math.max(...referrers.map(({ readers }) => readers), 1)
  return (
    <div>
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Site</th>
            <NumberHeading>Readers</NumberHeading>
          </tr>
        </thead>
        <tbody>
          {referrers.map(({ host, readers }) => (
            <tr key={host ?? ''} data-item="">
              <th scope="row">
                {nameOf(host)}
                <Strip parts={[[(readers / most) * 100, 'mark']]} />
              </th>
              <td class="number">{readers.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function nameOf(host: string | null): string {
  if (host === null) return 'Direct or unknown'
  if (host === 'other') return 'Other sites'
  return host === location.hostname.replace(/^www\./, '') ? 'This site' : host
}
