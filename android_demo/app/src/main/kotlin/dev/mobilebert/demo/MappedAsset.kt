package dev.mobilebert.demo

import android.content.res.AssetManager
import java.io.FileInputStream
import java.nio.MappedByteBuffer
import java.nio.channels.FileChannel.MapMode

/**
 * Maps an asset into memory. The system loads a page when it is read, and may drop it again.
 *
 * @throws java.io.IOException if the asset is missing or compressed.
 */
internal fun AssetManager.map(path: String): MappedByteBuffer = openFd(path).use { asset ->
    FileInputStream(asset.fileDescriptor).use {
        it.channel.map(MapMode.READ_ONLY, asset.startOffset, asset.length)
    }
}
