/** The name and the handle of accounts that their owners deleted. Nobody can choose such a handle. */
export const deletedName = 'Deleted account'
export const deletedHandlePrefix = 'deleted_'

export const isDeletedHandle = (handle: string): boolean => handle.startsWith(deletedHandlePrefix)
