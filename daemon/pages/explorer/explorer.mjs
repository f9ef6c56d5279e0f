/** Shows the OpenAPI document that the page names. Calls go to the service behind the prefix of the page. */
const { document: source, root } = document.body.dataset;
const place = document.querySelector('#explorer');

/** Swagger UI joins the paths to it, so it has no slash at its end. */
function serverUrl() {
  const { origin, pathname } = new URL(root, location.href);
  return origin + pathname.replace(/\/$/, '');
}

try {
  const answer = await fetch(source);
  if (!answer.ok) throw new Error(`the service answered ${answer.status}`);
  const description = await answer.json();
  description.servers = [{ url: serverUrl() }];
  window.SwaggerUIBundle({
    domNode: place,
    spec: description,
    deepLinking: true,
    docExpansion: 'none',
    validatorUrl: null,
    persistAuthorization: false,
  });
} catch (error) {
  place.textContent = `The description cannot be loaded: ${error.message}`;
  place.setAttribute('role', 'alert');
}
