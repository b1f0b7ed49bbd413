/** The data that the server passes to the script of a part of the page: JSON in the attribute `data-props`. */
export const propsOf = <Props>(place: HTMLElement): Props => JSON.parse(place.dataset.props ?? '{}')
