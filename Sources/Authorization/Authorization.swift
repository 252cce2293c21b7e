// What a token lets its bearer do: claims, the permission grammar and the one decision function that
// client and server share. Nothing here verifies a signature, reads a clock or talks to a server.
