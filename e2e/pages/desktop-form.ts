import type { Page } from 'playwright-core';

/** The address of a page with one input at its upper left, which has the focus, on a plain colour. */
export const FORM = `data:text/html,${encodeURIComponent(
  '<title>form</title><body style="margin:0;background:rgb(10,120,200)"><input autofocus style="display:block;width:900px;height:60px;font-size:40px">',
)}`;
export const FORM_COLOUR = [10, 120, 200];

const COLOUR = `(() => {
  const canvas = document.querySelector('#noVNC_container canvas');
  return [...canvas.getContext('2d').getImageData(canvas.width * 3 / 4, canvas.height / 2, 1, 1).data].slice(0, 3);
})()`;

/** The colour next to the centre of noVNC's canvas. */
export function shownColour(page: Page): Promise<number[]> {
  return page.evaluate<number[]>(COLOUR);
}
