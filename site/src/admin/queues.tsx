import type { JobQueue } from '@pennypost/contract/admin-overview'
import { Time } from '../components/time.tsx'

/** Jobs by kind: what waits and since when, what runs, and what stopped retrying. */
export const Queues = ({ queues }: { readonly queues: readonly JobQueue[] }) => (
  <section class="card queues" aria-labelledby="overview-queues">
    <h2 id="overview-queues">Queues</h2>
    {queues.length === 0 ? (
      <p class="quiet">No job is waiting, running or failed.</p>
    ) : (
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col" class="number">
              Waiting
            </th>
            <th scope="col" class="number">
              Oldest
            </th>
            <th scope="col" class="number">
              Running
            </th>
            <th scope="col" class="number">
              Failed
            </th>
          </tr>
        </thead>
        <tbody>
          {queues.map(({ job, waiting, running, dead }) => (
            <tr key={job}>
              <th scope="row">{job}</th>
              <td class="number">{waiting.count}</td>
              <td class="number">{waiting.oldestAt !== null && <Time at={waiting.oldestAt} now={Date.now()} />}</td>
              <td class="number">{running}</td>
              <td class="number">{dead.count}</td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </section>
)
