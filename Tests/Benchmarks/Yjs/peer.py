"""The Python server of Yjs, as its documentation runs it, and the updates that its clients send.

    peer.py serve PORT DATABASE     serves every path as a room; each room stores its updates in the database
    peer.py make NOTES UPDATES      writes one Yjs update for each note, each inserted into one map

NOTES holds a line of JSON for each note: its id and its content. UPDATES gets a line of hexadecimal digits for each.
"""

import asyncio
import json
import sys

from hypercorn import Config
from hypercorn.asyncio import serve
from pycrdt import Doc, Map
from pycrdt.store import SQLiteYStore
from pycrdt.websocket import ASGIServer, WebsocketServer, YRoom


async def run(port, database):
    class Store(SQLiteYStore):
        db_path = database

    class Server(WebsocketServer):
        async def get_room(self, name):
            if name not in self.rooms:
                self.rooms[name] = YRoom(ystore=Store(name))
            return await super().get_room(name)

    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    # Its defaults otherwise. The caller reads this line to know that the port is open.
    config.loglevel = "INFO"
    async with Server() as server:
        await serve(ASGIServer(server), config, mode="asgi")


def make(notes, updates):
    document = Doc()
    layer = document.get("layer", type=Map)
    made = []
    document.observe(lambda event: made.append(event.update))
    with open(notes, encoding="utf-8") as lines:
        for line in lines:
            note_id, content = json.loads(line)
            layer[note_id] = content
    with open(updates, "w", encoding="ascii") as lines:
        lines.writelines(update.hex() + "\n" for update in made)


if sys.argv[1] == "serve":
    asyncio.run(run(int(sys.argv[2]), sys.argv[3]))
else:
    make(sys.argv[2], sys.argv[3])
