/** noVNC takes the focus when it is connected: not from a field of the page around it, in which a person types. */

const FIELDS = 'input, textarea, select, [contenteditable]';
const take = HTMLCanvasElement.prototype.focus;

function typesAround() {
  if (window.parent === window) return false;
  try {
    return window.parent.document.activeElement?.matches(FIELDS) === true;
  } catch {
    // A page of another origin keeps its focus by itself.
    return false;
  }
}

HTMLCanvasElement.prototype.focus = function focus(options) {
  // A click on the display always means it.
  if (window.event instanceof UIEvent || !typesAround()) take.call(this, options);
};
