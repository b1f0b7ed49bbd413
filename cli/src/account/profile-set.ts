import { usageError } from '../frame/cli-error.ts'
import { command } from '../frame/command.ts'
import { openClient, openOwner, openPublisher } from '../profile/client.ts'

export const profileSet = command({
  name: 'profile set',
  summary: 'Set your name, handle and bio, and the addresses where you are paid',
  description:
    'Name, handle and bio need a publishing key. Addresses need a session: a key cannot redirect your money.',
  options: {
    name: { type: 'string', value: 'TEXT', summary: 'The name that readers see' },
    handle: { type: 'string', value: 'HANDLE', summary: 'Your handle, without @' },
    bio: { type: 'string', value: 'TEXT', summary: 'A few words about you' },
    'nano-address': { type: 'string', value: 'ADDRESS', summary: 'Where you are paid in Nano' },
    'usdc-address': { type: 'string', value: 'ADDRESS', summary: 'Where you are paid in USDC on Base' },
  },
  examples: [['pennypost profile set --name "Ada" --handle ada_l --nano-address nano_…', 'what publishing needs']],
  async run({ options }, shell) {
    const { name, handle, bio, 'nano-address': nano, 'usdc-address': usdc } = options
    const { signal, output } = shell
    const changes = {
      ...(name !== undefined && { name }),
      ...(handle !== undefined && { handle: handle.replace(/^@/, '') }),
      ...(bio !== undefined && { bio: bio || null }),
    }
    const hasChanges = Object.keys(changes).length > 0
    if (!hasChanges && nano === undefined && usdc === undefined) throw usageError('Name what to set.')
    // Both credentials are checked before anything changes.
    const publisher = hasChanges ? await openPublisher(shell) : undefined
    const owner = nano !== undefined || usdc !== undefined ? await openOwner(shell) : undefined
    await publisher?.pennypost.profile.update(changes, { signal })
    if (nano !== undefined) await owner!.pennypost.profile.setNanoAddress(nano, { signal })
    if (usdc !== undefined) await owner!.pennypost.profile.setUsdcAddress(usdc, { signal })
    const { profile, publication } = await (await openClient(shell)).pennypost.profile.me({ signal })
    output.result({ name: profile.name, handle: profile.handle, publication }, [
      `Saved. You are ${profile.name} (@${profile.handle}).`,
      ...publication.blockers.map(({ message }) => `Publishing still needs: ${message}`),
    ])
  },
})
