/** A message on the screen, with one way on. */
export class Notice {
  #place;
  #screen;

  /** @param screen element around the notice */
  constructor(place, screen) {
    this.#place = place;
    this.#screen = screen;
  }

  /** @param isGone whether what is on the screen is of a session that cannot be used any more */
  show(text, { label, onClick, isGone = false }) {
    const paragraph = document.createElement('p');
    paragraph.textContent = text;
    const way = document.createElement('button');
    way.type = 'button';
    way.textContent = label;
    way.onclick = onClick;
    this.#place.replaceChildren(paragraph, way);
    this.#place.hidden = false;
    this.#screen.classList.toggle('over', isGone);
    way.focus();
  }

  hide() {
    this.#place.hidden = true;
    this.#screen.classList.remove('over');
  }
}
