#!/bin/sh
# A day's work of an agent, as the account: clone, venv, pip and npm install, build, test, serve, screenshot.
# $1: `online` installs from the registries too.
set -eu
[ "$(id -un)" = sandbox ]
cd "$(mktemp -d)"
git config --global user.name agent && git config --global user.email agent@example

# The repository of a colleague.
mkdir origin && cd origin && git init -q -b main
mkdir -p py web native
cat >py/pyproject.toml <<'X'
[project]
name = "shop"
version = "1.0"
[project.scripts]
shop = "shop:main"
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[tool.setuptools]
py-modules = ["shop"]
X
cat >py/shop.py <<'X'
import sqlite3
def total(prices):
    with sqlite3.connect(':memory:') as db:
        return db.execute('select sum(value) from json_each(?)', (str(prices),)).fetchone()[0]
def main():
    print(total([1, 2, 3]))
X
printf 'import unittest, shop\nclass T(unittest.TestCase):\n  def test(self): self.assertEqual(shop.total([2, 3]), 5)\n' >py/test_shop.py
mkdir web/greet
echo '{"name":"greet","version":"1.0.0","main":"index.js"}' >web/greet/package.json
# shellcheck disable=SC2016 # JavaScript
echo 'module.exports = (name) => `Hello ${name}`' >web/greet/index.js
echo '{"name":"web","version":"1.0.0","scripts":{"build":"node build.js","test":"node --test"},"dependencies":{"greet":"file:greet"}}' >web/package.json
# shellcheck disable=SC2016 # JavaScript
echo 'require("node:fs").writeFileSync("index.html", `<title>${require("greet")("shop")}</title><body style="background:teal">`)' >web/build.js
echo 'require("node:test").test("greets", () => require("node:assert").equal(require("greet")("a"), "Hello a"))' >web/greet.test.js
printf 'cmake_minimum_required(VERSION 3.25)\nproject(native C)\nenable_testing()\nadd_executable(native main.c)\nadd_test(NAME runs COMMAND native)\n' >native/CMakeLists.txt
echo 'int main(void) { return 0; }' >native/main.c
git add -A && git commit -qm 'the shop' && cd ..

git clone -q "file://$PWD/origin" work && cd work
python -m venv --system-site-packages venv
venv/bin/pip install --quiet --no-index --no-build-isolation ./py
(cd py && ../venv/bin/python -m unittest -q)
venv/bin/shop
(cd web && npm install --offline --no-audit --no-fund --silent && npm run --silent build && npm test --silent >/dev/null)
cmake -S native -B native/build >/dev/null && cmake --build native/build >/dev/null && ctest --test-dir native/build -Q
if [ "${1:-}" = online ]; then
  pip install --quiet six && python -c 'import six'
  venv/bin/pip install --quiet --ignore-installed packaging
  uv pip install --quiet --python venv/bin/python idna
  (cd web && npm install --no-audit --no-fund --silent is-number && node -e 'require("is-number")')
  npm install --global --silent --no-audit --no-fund semver && semver 1.2.3
  (cd web && mkdir ../pn && cd ../pn && echo '{"name":"pn","version":"1.0.0"}' >package.json && pnpm add --silent is-number)
fi

python -m http.server --bind 127.0.0.1 --directory web 4100 >/dev/null 2>&1 &
server=$!
trap 'kill $server' EXIT
until curl -fs http://127.0.0.1:4100/ >/dev/null; do sleep 0.1; done
cat >screenshot.mjs <<'X'
import { writeFileSync } from 'node:fs';
const tab = await (await fetch('http://127.0.0.1:9222/json/new?http://127.0.0.1:4100/', { method: 'PUT' })).json();
const socket = new WebSocket(tab.webSocketDebuggerUrl);
await new Promise((resolve) => socket.addEventListener('open', resolve));
let id = 0;
const call = (method, params = {}) => new Promise((resolve) => {
  const mine = ++id;
  socket.addEventListener('message', ({ data }) => JSON.parse(data).id === mine && resolve(JSON.parse(data).result));
  socket.send(JSON.stringify({ id: mine, method, params }));
});
const title = async () => (await call('Runtime.evaluate', { expression: 'document.title' })).result.value;
while ((await title()) !== 'Hello shop') await new Promise((resolve) => setTimeout(resolve, 50));
writeFileSync(`${process.env.HOME}/shop.png`, Buffer.from((await call('Page.captureScreenshot')).data, 'base64'));
socket.close();
X
until curl -fs http://127.0.0.1:9222/json/version >/dev/null; do sleep 0.1; done
node screenshot.mjs
git checkout -q -b built && git add -A py web/index.html && git commit -qm 'built' && git log --oneline | wc -l
echo "the day is done"
