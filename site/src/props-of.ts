/** What the server knows about a part of the page and its script needs: JSON in the attribute `data-props`. */
export const propsOf = <Props>(place: HTMLElement): Props => JSON.parse(place.dataset.props ?? '{}')
