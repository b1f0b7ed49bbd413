/** The name and handle shown for deleted accounts. Nobody can choose such a handle. */
export const deletedName = 'Deleted account'
export const deletedHandlePrefix = 'deleted_'

export const isDeletedHandle = (handle: string): boolean => handle.startsWith(deletedHandlePrefix)
